package io.brokermeter.engine.run;

/** The stage of a run, and the requests to end it. Any thread may read the state and request an end. */
public final class RunState {

    /** The stages of a run, in their order. */
    public enum Stage {
        /** Connections, producers and consumers are being opened; there is nothing to end cleanly yet. */
        SETTING_UP,
        /** Messages are sent, or waited for if the run only receives. */
        LOADING,
        /** The load is over: the run waits for confirmations and deliveries that are due. */
        DRAINING,
        /** Everything is being closed; the loss of a connection no longer matters. */
        CLOSING
    }

    private volatile Stage stage = Stage.SETTING_UP;
    private volatile int signal;
    private volatile int endedBy;
    private volatile boolean stopping;
    private volatile boolean drainCut;
    private volatile boolean hurried;
    private volatile boolean aborted;

    void enter(Stage next) {
        stage = next;
    }

    public boolean isAtLeast(Stage other) {
        return stage.compareTo(other) >= 0;
    }

    /** Returns whether messages are sent, and nobody has requested an end. */
    boolean isLoading() {
        return stage == Stage.LOADING && !stopping;
    }

    /**
     * Requests a clean end. During the drain this ends the drain, too, and hurries what follows; while everything is being closed it only
     * hurries that. The first signal number that is not 0 is kept.
     */
    public void stop(int signalNumber) {
        Stage at = stage;
        if (signal == 0) {
            signal = signalNumber;
        }
        if (at == Stage.DRAINING || at == Stage.CLOSING) {
            hurried = true;
        }
        if (at == Stage.CLOSING) {
            return;
        }
        if (at == Stage.DRAINING) {
            drainCut = true;
        }
        if (endedBy == 0) {
            endedBy = signalNumber;
        }
        stopping = true;
    }

    /** Requests an end without a drain. */
    public void abort() {
        if (stage != Stage.CLOSING) {
            drainCut = true;
        }
        hurried = true;
        aborted = true;
        stop(signal);
    }

    /** Returns the number of the first signal that came; 0 for none. */
    int signal() {
        return signal;
    }

    /** Returns the number of the first signal that came before everything was being closed, and so ended the run; 0 for none. */
    int endedBy() {
        return endedBy;
    }

    public boolean isStopping() {
        return stopping;
    }

    public boolean isAborted() {
        return aborted;
    }

    /**
     * Returns whether the drain was cut short or left out: a stop came during the drain, or an abort before closing. Missing messages may
     * merely be late then.
     */
    boolean isDrainCut() {
        return drainCut;
    }

    /** Returns whether the rest of the run must not take long: a stop was requested after the load was over, or an abort at any time. */
    boolean isHurried() {
        return hurried;
    }
}
