package io.brokermeter.driver.mqtt;

import java.io.IOException;
import java.nio.ByteBuffer;

import io.brokermeter.driver.wire.ReadBuffer;
import io.brokermeter.driver.wire.Wire;
import io.brokermeter.spi.DriverException;

/** The reading side of a session, cut into control packets. */
final class PacketReader extends ReadBuffer {

    private static final int INITIAL = 256 * 1024;
    private static final int MIN_HEADER = 2;

    private final int largest;
    private int header;
    /** Where the packet at hand begins. */
    private int from;
    /** Bytes right before the packet at hand that {@link #unread} gives back. */
    private int passed;

    /** @param largest the largest packet that the broker may send, its header included; 0 for the protocol's own limit */
    PacketReader(int largest) {
        this(largest, INITIAL);
    }

    PacketReader(int largest, int capacity) {
        super(ByteBuffer.allocateDirect(capacity), Integer.MAX_VALUE);
        this.largest = largest == 0 ? Integer.MAX_VALUE : largest;
    }

    /** Goes to the next packet when all of it has come; the position of {@link #buffer()} is then behind its fixed header. */
    @Override
    public boolean next() throws IOException {
        int available = in.limit() - start;
        if (available < MIN_HEADER) {
            return false;
        }
        int at = start + 1;
        int length = 0;
        int shift = 0;
        byte digit;
        do {
            if (at >= in.limit()) {
                return false;
            }
            digit = in.get(at++);
            length |= (digit & 0x7f) << shift;
            shift += 7;
        } while (digit < 0 && shift < 28);
        if (digit < 0) {
            throw new DriverException("The broker sent something that is no MQTT packet.", null);
        }
        int total = at - start + length;
        if (total > largest) {
            throw new DriverException("The broker sent a packet of " + total + " bytes; maximum-packet-size allows "
                + largest + ".", null);
        }
        if (available < total) {
            return false;
        }
        header = in.get(start) & 0xff;
        in.position(at);
        from = start;
        start += total;
        return true;
    }

    /** Goes to the first packet that is not of some type. Blocks until all of it has come. Those before it wait for {@link #unread}. */
    void awaitBehind(int type, Wire wire) throws IOException {
        await(wire);
        while ((header & 0xf0) == type) {
            passed += start - from;
            while (!next()) {
                // What begins at the start is kept.
                start -= passed;
                fill(wire);
                start += passed;
            }
        }
    }

    /** The packets that {@link #awaitBehind} passed come next, in place of the one at hand, which is no longer valid. */
    void unread() {
        in.put(start - passed, in, from - passed, passed);
        start -= passed;
        passed = 0;
    }

    /** The first byte of the packet: its type and flags. */
    int header() {
        return header;
    }

    /** The position behind the packet. */
    int end() {
        return start;
    }
}
