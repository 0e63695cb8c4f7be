package io.brokermeter.cli;

import io.brokermeter.engine.run.Run;

/** Work that a signal may end. Its methods may be called by any thread. */
interface Interruptible {

    /** Whether there is anything to end cleanly yet. */
    boolean hasBegun();

    /** Asks for a clean end, because of this signal. */
    void stop(int signal);

    /** Asks for an end at once. */
    void abort();

    static Interruptible of(Run run) {
        return new Interruptible() {
            @Override
            public boolean hasBegun() {
                return run.hasBegun();
            }

            @Override
            public void stop(int signal) {
                run.stop(signal);
            }

            @Override
            public void abort() {
                run.abort();
            }
        };
    }
}
