package io.brokermeter.driver.mqtt;

import java.io.IOException;

import io.brokermeter.driver.wire.ReadBuffer;
import io.brokermeter.driver.wire.Wire;
import io.brokermeter.spi.failure.DriverException;

/** The reading side of a session, split into control packets. */
final class PacketReader extends ReadBuffer {

    private static final int USUAL = 256 * 1024;
    private static final int MIN_HEADER = 2;

    private final int largest;
    private int header;
    /** The position at which the current packet begins. */
    private int from;
    /** Number of bytes right before the current packet that {@link #unread} makes available again. */
    private int passed;

    /**
     * @param largest size of the largest packet that the broker may send, including its header, in bytes; 0 for the protocol's own limit
     */
    PacketReader(int largest) {
        this(largest, USUAL);
    }

    PacketReader(int largest, int capacity) {
        super(true, capacity, Integer.MAX_VALUE);
        this.largest = largest == 0 ? Integer.MAX_VALUE : largest;
    }

    /** Moves to the next packet if it has been received completely; the position of {@link #buffer()} is then behind its fixed header. */
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
            announced = total;
            return false;
        }
        header = in.get(start) & 0xff;
        in.position(at);
        from = start;
        start += total;
        return true;
    }

    /**
     * Moves to the first packet of another type than {@code type}. Blocks until it has been received completely. The packets before it are
     * kept for {@link #unread}.
     */
    void awaitBehind(int type, Wire wire) throws IOException {
        await(wire);
        while ((header & 0xf0) == type) {
            passed += start - from;
            while (!next()) {
                // Bytes from the start on are kept.
                start -= passed;
                fill(wire);
                start += passed;
            }
        }
    }

    /** Makes the packets that {@link #awaitBehind} skipped the next ones. The current packet becomes invalid. */
    void unread() {
        in.put(start - passed, in, from - passed, passed);
        start -= passed;
        passed = 0;
    }

    /** Returns the first byte of the current packet: its type and flags. */
    int header() {
        return header;
    }

    /** Returns the position behind the current packet. */
    int end() {
        return start;
    }
}
