package io.brokermeter.driver.amqp091.lean;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** The reading side of a socket, cut into frames. Used by one thread at a time. */
final class Incoming {

    /** Bytes of a frame around its payload: type, channel and size before it, the end mark behind it. */
    static final int OVERHEAD = 8;

    private static final int HEADER = 7;
    private static final int CAPACITY = 256 * 1024;
    private static final byte END = (byte) 0xce;

    private final SocketChannel channel;
    private final int frameMax;
    private final ByteBuffer in;
    private final ByteBuffer view;
    private int next;
    private int frameEnd;
    private int type;
    private int number;

    /** @param frameMax the largest frame that the peer may send */
    Incoming(SocketChannel channel, int frameMax) {
        this.channel = channel;
        this.frameMax = frameMax;
        this.in = ByteBuffer.allocateDirect(Math.max(CAPACITY, 2 * frameMax)).limit(0);
        this.view = in.duplicate();
    }

    /** Blocks until at least one more byte has come. */
    void fill() throws IOException {
        in.position(next).compact();
        next = 0;
        int count = channel.read(in);
        in.flip();
        if (count < 0) {
            throw new EOFException("the broker closed the connection");
        }
    }

    /** Goes to the next frame when all of it has come; the position of {@link #buffer()} is then at its payload. */
    boolean nextFrame() throws IOException {
        int available = in.limit() - next;
        if (available < OVERHEAD) {
            return false;
        }
        int size = in.getInt(next + 3);
        if (in.get(next) == 'A' && in.get(next + 1) == 'M') {
            throw new IOException("the server does not speak AMQP 0-9-1 but answers " + header());
        }
        if (size < 0 || size > frameMax - OVERHEAD) {
            throw new IOException("the broker sent something that is no AMQP 0-9-1 frame (size " + size + ")");
        }
        if (available < size + OVERHEAD) {
            return false;
        }
        if (in.get(next + HEADER + size) != END) {
            throw new IOException("the broker sent a frame without an end mark");
        }
        type = in.get(next);
        number = in.getShort(next + 1) & 0xffff;
        in.position(next + HEADER);
        frameEnd = next + HEADER + size;
        next = frameEnd + 1;
        return true;
    }

    /** The protocol header with which a server refuses another one: four letters, then its own version in four bytes. */
    private String header() {
        byte[] letters = new byte[4];
        in.get(next, letters);
        return new String(letters, StandardCharsets.US_ASCII) + " " + in.get(next + 5) + "-" + in.get(next + 6) + "-"
            + in.get(next + 7);
    }

    /** The buffer that holds the frame; absolute positions are valid until the next {@link #fill()}. */
    ByteBuffer buffer() {
        return in;
    }

    /** The position behind the payload. */
    int frameEnd() {
        return frameEnd;
    }

    /** 1 for a method, 2 for a content header, 3 for a content body, 8 for a heartbeat. */
    int type() {
        return type;
    }

    /** The channel number of the frame. */
    int channel() {
        return number;
    }

    /** The bytes from {@code from} to {@code to} as a buffer; the same object at each call. */
    ByteBuffer view(int from, int to) {
        return view.clear().limit(to).position(from);
    }
}
