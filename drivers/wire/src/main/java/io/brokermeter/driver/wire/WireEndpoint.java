package io.brokermeter.driver.wire;

/** A producer or consumer, as seen by the reader thread of its connection. */
public abstract class WireEndpoint {

    /** Whether {@link #endOfBatch()} was requested; used by the reader thread only. */
    boolean touched;

    /** Called by the reader after it has processed everything of one read, if {@link WireConnection#touch} requested the call. */
    protected void endOfBatch() {}

    /** Handles the end of the connection. Called by the reader thread, without the connection's lock. */
    protected abstract void ended(Throwable reason);
}
