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
    private volatile boolean stopping;
    private volatile boolean drainStopped;
    private volatile boolean aborted;

    void enter(Stage next) {
        stage = next;
    }

    boolean isAtLeast(Stage other) {
        return stage.compareTo(other) >= 0;
    }

    /** Asks for a clean end. In the drain it ends that as well. The first signal number that is not 0 is kept. */
    void stop(int signalNumber) {
        if (signal == 0) {
            signal = signalNumber;
        }
        if (isAtLeast(Stage.DRAINING)) {
            drainStopped = true;
        }
        stopping = true;
    }

    /** Asks for an end without a drain. */
    void abort() {
        aborted = true;
        stop(signal);
    }

    /** The signal that ended the run, 0 for none. */
    int signal() {
        return signal;
    }

    boolean isStopping() {
        return stopping;
    }

    boolean isAborted() {
        return aborted;
    }

    /** Whether the run was stopped before its drain was over: what is missing then may merely be late. */
    boolean isDrainCut() {
        return drainStopped || aborted;
    }
}
