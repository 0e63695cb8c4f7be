package io.brokermeter.driver.wire;

/** The reading side of a connection whose frames carry a type and a channel number. */
public abstract class ChannelFrames extends ReadBuffer {

    /** The position behind the current frame. Like {@link #type} and {@link #channel}, it is set by {@link #next}. */
    protected int frameEnd;
    protected int type;
    protected int channel;

    /** @param capacity greatest capacity of the buffer in bytes; larger than the largest frame */
    protected ChannelFrames(int capacity) {
        super(true, capacity, capacity);
    }

    /** Returns the position behind the payload of the current frame. */
    public final int frameEnd() {
        return frameEnd;
    }

    /** Returns the type of the current frame, as encoded in the frame. */
    public final int type() {
        return type;
    }

    /** Returns the channel number of the current frame. */
    public final int channel() {
        return channel;
    }
}
