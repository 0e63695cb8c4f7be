package io.brokermeter.driver.wire;

/** A producer or consumer, as the reader of its connection sees it. */
public abstract class WireEndpoint {

    /** Whether {@link #endOfBatch()} was asked for; reader only. */
    boolean touched;

    /** Everything that one read brought was processed. Called by the reader after {@link WireConnection#touch} asked for it. */
    protected void endOfBatch() {}

    /** The connection is gone. Called by the reader, without the connection's lock. */
    protected abstract void ended(Throwable reason);
}
