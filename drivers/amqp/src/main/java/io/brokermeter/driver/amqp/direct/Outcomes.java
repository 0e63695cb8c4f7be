package io.brokermeter.driver.amqp.direct;

import java.nio.ByteBuffer;

import io.brokermeter.driver.wire.WriteBuffer;
import io.brokermeter.spi.Settlement;

/** The encoding of the outcomes of deliveries that a receiver sends. */
final class Outcomes {

    private static final int LARGEST_DISPOSITION = 33;

    private Outcomes() {}

    /**
     * Appends the outcome of the deliveries {@code first} to {@code last}. Call under the connection's lock.
     *
     * @param modified whether a requeued message gets the outcome modified, with its delivery count increased, and not released
     */
    static void append(WriteBuffer to, int channel, int first, int last, Settlement answer, boolean modified) {
        int size = modified ? LARGEST_DISPOSITION : LARGEST_DISPOSITION - 3;
        ByteBuffer out = to.room(size);
        out.putInt(size).put((byte) 2).put((byte) 0).putShort((short) channel);
        out.put((byte) 0).put((byte) 0x53).put((byte) 0x15);
        out.put((byte) 0xc0).put((byte) (modified ? 20 : 17)).put((byte) 5);
        out.put((byte) 0x41);
        out.put((byte) 0x70).putInt(first);
        out.put((byte) 0x70).putInt(last);
        out.put((byte) 0x41);
        out.put((byte) 0).put((byte) 0x53);
        switch (answer) {
            case ACCEPT -> out.put((byte) 0x24).put((byte) 0x45);
            case REJECT -> out.put((byte) 0x25).put((byte) 0x45);
            case LEAVE -> throw new IllegalArgumentException("What is left has no outcome.");
            case REQUEUE -> {
                if (modified) {
                    out.put((byte) 0x27).put((byte) 0xc0).put((byte) 2).put((byte) 1).put((byte) 0x41);
                } else {
                    out.put((byte) 0x26).put((byte) 0x45);
                }
            }
        }
        to.appended();
    }
}
