package io.brokermeter.engine.recording.lane;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A count that one thread adds to and other threads read: a plain add with an opaque store, so the writer needs no fence and
 * readers see the new value within moments. Not for concurrent writers.
 */
public final class Counter {

    private static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(Counter.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // through VALUE
    private long value;

    /** Adds one. For the one writing thread, or for several that exclude each other. */
    public void increment() {
        VALUE.setOpaque(this, (long) VALUE.getOpaque(this) + 1);
    }

    /** Adds {@code n}. For the one writing thread. */
    public void add(long n) {
        VALUE.setOpaque(this, (long) VALUE.getOpaque(this) + n);
    }

    /** Sets the count to {@code n} if it is lower. For the one writing thread. */
    public void raiseTo(long n) {
        VALUE.setOpaque(this, Math.max(n, (long) VALUE.getOpaque(this)));
    }

    /** Returns the count so far. */
    public long get() {
        return (long) VALUE.getOpaque(this);
    }
}
