package io.brokermeter.driver.mqtt;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

import io.brokermeter.spi.DriverException;

/** The reading side of a session, cut into control packets. Used by one thread at a time. */
final class Incoming {

    private static final int INITIAL = 256 * 1024;
    private static final int MIN_HEADER = 2;

    private final Wire wire;
    private final int largest;
    private ByteBuffer in;
    private ByteBuffer view;
    private int next;
    private int header;
    private int end;

    /** @param largest the largest packet that the broker may send, its header included; 0 for the protocol's own limit */
    Incoming(Wire wire, int largest) {
        this(wire, largest, INITIAL);
    }

    Incoming(Wire wire, int largest, int capacity) {
        this.wire = wire;
        this.largest = largest == 0 ? Integer.MAX_VALUE : largest;
        this.in = ByteBuffer.allocateDirect(capacity).limit(0);
        this.view = in.duplicate();
    }

    /** Blocks until at least one more byte has come. */
    void fill() throws IOException {
        if (next > 0 || in.limit() == 0) {
            in.position(next).compact();
        } else if (in.limit() == in.capacity()) {
            // when all of it is full, and not as soon as a length is announced
            in = ByteBuffer.allocateDirect(Math.multiplyExact(in.capacity(), 2)).put(in.position(0));
            view = in.duplicate();
        } else {
            in.position(in.limit()).limit(in.capacity());
        }
        next = 0;
        int count = wire.read(in);
        in.flip();
        if (count < 0) {
            throw new EOFException("The broker closed the connection.");
        }
    }

    /** Blocks until a whole packet is there, and goes to it. */
    void awaitPacket() throws IOException {
        while (!nextPacket()) {
            fill();
        }
    }

    /** Goes to the next packet when all of it has come; the position of {@link #buffer()} is then behind its fixed header. */
    boolean nextPacket() throws IOException {
        int available = in.limit() - next;
        if (available < MIN_HEADER) {
            return false;
        }
        int at = next + 1;
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
        int total = at - next + length;
        if (total > largest) {
            throw new DriverException("The broker sent a packet of " + total + " bytes; maximum-packet-size allows "
                + largest + ".", null);
        }
        if (available < total) {
            return false;
        }
        header = in.get(next) & 0xff;
        in.position(at);
        next += total;
        end = next;
        return true;
    }

    /** The first byte of the packet: its type and flags. */
    int header() {
        return header;
    }

    /** The buffer that holds the packet; positions are valid until the next {@link #fill()}. */
    ByteBuffer buffer() {
        return in;
    }

    /** The position behind the packet. */
    int end() {
        return end;
    }

    /** The bytes from {@code from} to {@code to} as a buffer; the same object at each call. */
    ByteBuffer view(int from, int to) {
        return view.clear().limit(to).position(from);
    }
}
