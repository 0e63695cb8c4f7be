package io.brokermeter.driver.wire;

import java.nio.ByteBuffer;

/** The reading side of a connection whose frames have a type and the number of a channel. */
public abstract class ChannelFrames extends ReadBuffer {

    /** Behind the frame at hand; set by {@link #next}, as the others. */
    protected int frameEnd;
    protected int type;
    protected int channel;

    /** @param capacity of the buffer, in bytes; more than the largest frame */
    protected ChannelFrames(int capacity) {
        super(ByteBuffer.allocateDirect(capacity), capacity);
    }

    /** The position behind the payload of the frame at hand. */
    public final int frameEnd() {
        return frameEnd;
    }

    /** The type of the frame at hand, as it stands there. */
    public final int type() {
        return type;
    }

    /** The channel number of the frame at hand. */
    public final int channel() {
        return channel;
    }
}
