package io.brokermeter.engine.run;

/** The stage that a run is in, and what was asked of it from outside. Any thread may read and ask. */
final class RunState {

    /** The stages of a run, in their order. */
    enum Stage {
        /** Connections are made and their producers and consumers opened; there is nothing to end cleanly yet. */
        SETTING_UP,
        /** Messages are sent, or waited for where the run only receives. */
        LOADING,
        /** No new load: the run waits for confirmations and deliveries that are due. */
        DRAINING,
        /** Everything is being closed; a lost connection is no trouble any more. */
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

    boolean isAtLeast(Stage other) {
        return stage.compareTo(other) >= 0;
    }

    /**
     * Asks for a clean end. In the drain it ends that as well; when everything is being closed, that is hurried, and nothing else changes. The
     * first signal number that is not 0 is kept.
     */
    void stop(int signalNumber) {
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

    /** Asks for an end without a drain. */
    void abort() {
        if (stage != Stage.CLOSING) {
            drainCut = true;
        }
        hurried = true;
        aborted = true;
        stop(signal);
    }

    /** The first signal that came, 0 for none. */
    int signal() {
        return signal;
    }

    /** The signal that ended the run, 0 for none: it came before everything was being closed. */
    int endedBy() {
        return endedBy;
    }

    boolean isStopping() {
        return stopping;
    }

    boolean isAborted() {
        return aborted;
    }

    /** Whether the run was stopped before its drain was over: what is missing then may merely be late. */
    boolean isDrainCut() {
        return drainCut;
    }

    /** Whether an end was asked for when the load was over, so that nothing that is left may take long. */
    boolean isHurried() {
        return hurried;
    }
}
