package io.brokermeter.engine.run;

/** Work that a signal may end. Its methods may be called by any thread. */
public interface Interruptible {

    /** Whether there is anything to end cleanly yet. */
    boolean hasBegun();

    /** Asks for a clean end, because of this signal. */
    void stop(int signal);

    /** Asks for an end at once. */
    void abort();
}
