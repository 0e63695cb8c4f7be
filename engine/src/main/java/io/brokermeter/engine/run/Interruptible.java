package io.brokermeter.engine.run;

/** Work that a signal may end. Any thread may call its methods. */
public interface Interruptible {

    /** Returns whether there is anything to end cleanly yet. */
    boolean hasBegun();

    /** Requests a clean end, because of the signal with this number. */
    void stop(int signal);

    /** Requests an immediate end. */
    void abort();
}
