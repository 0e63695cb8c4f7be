package io.brokermeter.driver.stomp;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;

import io.brokermeter.driver.wire.ReadBuffer;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.parameter.PropertyText;
import org.jspecify.annotations.Nullable;

/**
 * The reading side of a connection, split into STOMP frames. The positions of the relevant headers in the buffer are recorded, so that
 * nothing is allocated for a frame; they are valid until the next {@link #fill}. If a header is repeated, the first one counts, as the
 * protocol specifies. Used by one thread at a time.
 */
final class StompFrames extends ReadBuffer {

    /** The commands of a server. */
    enum Command {
        MESSAGE, RECEIPT, CONNECTED, ERROR;

        private final byte[] word = name().getBytes(StandardCharsets.US_ASCII);
    }

    /** The headers of a server that are used here. */
    enum Header {
        ACK("ack"), ENVELOPE(Payload.PROPERTY), CONTENT_LENGTH("content-length"), HEART_BEAT("heart-beat"), MESSAGE("message"),
        MESSAGE_ID("message-id"), RECEIPT_ID("receipt-id"), REDELIVERED("redelivered"), SERVER("server"),
        SUBSCRIPTION("subscription"), VERSION("version");

        private final byte[] name;

        Header(String name) {
            this.name = (name + ":").getBytes(StandardCharsets.US_ASCII);
        }
    }

    private static final int USUAL = 256 * 1024;
    /** Size limit of a frame's headers in bytes; no broker's headers come near it. */
    private static final int MOST_HEADERS = 4 * 1024 * 1024;
    /** Size limit of a frame in bytes; no broker accepts a message near it. */
    private static final int LARGEST = 512 * 1024 * 1024;
    private static final int HEADERS = Header.values().length;
    private static final VarHandle LONG =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH = 0x8080808080808080L;
    private static final byte EOL = '\n';

    private static final Command[] COMMANDS = Command.values();
    /** The headers by the first letter of their names. */
    private static final Header[][] BY_LETTER = new Header['z'][];

    static {
        for (char letter = 0; letter < BY_LETTER.length; letter++) {
            char first = letter;
            BY_LETTER[letter] = Stream.of(Header.values()).filter(each -> each.name[0] == first).toArray(Header[]::new);
        }
    }

    private ByteBuffer envelope = ByteBuffer.allocate(64);
    private byte[] bytes;
    /** The least size of the frame at {@link #start} in bytes, as far as is known. */
    private int needed;

    private Command command = Command.CONNECTED;
    private final int[] from = new int[HEADERS];
    private final int[] to = new int[HEADERS];
    private int size;
    private int bodyFrom;
    private int bodyTo;

    StompFrames() {
        this(USUAL);
    }

    StompFrames(int capacity) {
        super(false, capacity, LARGEST);
        bytes = in.array();
    }

    @Override
    public boolean next() throws IOException {
        byte[] b = in.array();
        bytes = b;
        int p = start;
        int end = in.limit();
        while (p < end && (b[p] == EOL || b[p] == '\r')) {
            p++;
        }
        start = p;
        if (end - p < needed || p == end) {
            return false;
        }
        int line = indexOf(EOL, p, end);
        if (line < 0) {
            return incomplete();
        }
        command = command(p, withoutReturn(p, line));
        Arrays.fill(from, -1);
        p = line + 1;
        while (true) {
            line = indexOf(EOL, p, end);
            if (line < 0) {
                return incomplete();
            }
            int stop = withoutReturn(p, line);
            if (stop == p) {
                break;
            }
            header(p, stop);
            p = line + 1;
        }
        return body(line + 1, end);
    }

    private boolean incomplete() throws IOException {
        if (in.limit() - start > MOST_HEADERS) {
            throw new IOException("the broker sent " + (in.limit() - start) + " bytes that are no STOMP frame");
        }
        return false;
    }

    /** Returns the size of the current frame in bytes. */
    int size() {
        return size;
    }

    private boolean body(int at, int end) throws IOException {
        bodyFrom = at;
        if (has(Header.CONTENT_LENGTH)) {
            long length = number(Header.CONTENT_LENGTH);
            if (length < 0 || at - start + length + 1 > LARGEST) {
                throw new IOException("the broker sent a frame with content-length '" + text(Header.CONTENT_LENGTH)
                    + "', and more than " + LARGEST + " bytes are not taken");
            }
            bodyTo = at + (int) length;
            if (bodyTo >= end || bodyTo < 0) {
                needed = at - start + (int) length + 1;
                return false;
            }
            if (bytes[bodyTo] != 0) {
                throw new IOException("the broker sent a frame that does not end where its content-length says");
            }
        } else {
            bodyTo = indexOf((byte) 0, at, end);
            if (bodyTo < 0) {
                needed = end - start + 1;
                return false;
            }
        }
        needed = 0;
        size = bodyTo + 1 - start;
        start = bodyTo + 1;
        return true;
    }

    private Command command(int start, int stop) throws IOException {
        for (Command each : COMMANDS) {
            if (Arrays.equals(each.word, 0, each.word.length, bytes, start, stop)) {
                return each;
            }
        }
        String shown = new String(bytes, start, Math.min(stop - start, 40), StandardCharsets.UTF_8);
        throw new IOException("the broker sent something that is no STOMP frame, beginning with '"
            + shown.replaceAll("\\p{Cntrl}", "?") + "'");
    }

    private void header(int start, int stop) {
        int letter = bytes[start];
        if (letter >= 0 && letter < BY_LETTER.length) {
            for (Header each : BY_LETTER[letter]) {
                keep(each, start, stop);
            }
        }
    }

    private void keep(Header header, int start, int stop) {
        byte[] name = header.name;
        if (stop - start >= name.length && from[header.ordinal()] < 0
            && Arrays.equals(name, 0, name.length, bytes, start, start + name.length)) {
            from[header.ordinal()] = start + name.length;
            to[header.ordinal()] = stop;
        }
    }

    private int withoutReturn(int start, int line) {
        return line > start && bytes[line - 1] == '\r' ? line - 1 : line;
    }

    /** Returns the first position of a byte from {@code p} to {@code end}, searching eight bytes at a time; -1 if it does not occur. */
    private int indexOf(byte wanted, int p, int end) {
        byte[] b = bytes;
        long pattern = wanted * ONES;
        int last = end - 8;
        while (p <= last) {
            long word = (long) LONG.get(b, p) ^ pattern;
            long zero = (word - ONES) & ~word & HIGH;
            if (zero != 0) {
                return p + (Long.numberOfTrailingZeros(zero) >>> 3);
            }
            p += 8;
        }
        while (p < end) {
            if (b[p] == wanted) {
                return p;
            }
            p++;
        }
        return -1;
    }

    // ---- the current frame

    Command command() {
        return command;
    }

    /** Returns whether the frame has the header. */
    boolean has(Header header) {
        return from[header.ordinal()] >= 0;
    }

    /** Returns the array that holds the frame. */
    byte[] bytes() {
        return bytes;
    }

    /** Returns the position at which the value of a present header begins. */
    int from(Header header) {
        return from[header.ordinal()];
    }

    /** Returns the position at which the value of a present header ends. */
    int to(Header header) {
        return to[header.ordinal()];
    }

    /** Returns whether the header is present with exactly this value, as encoded on the wire. */
    boolean is(Header header, byte[] value) {
        return has(header) && Arrays.equals(value, 0, value.length, bytes, from(header), to(header));
    }

    /** Returns the header's value as a number; -1 if it is not a number. */
    long number(Header header) {
        int p = from(header);
        int stop = to(header);
        while (p < stop && bytes[p] == ' ') {
            p++;
        }
        long number = p == stop || stop - p > 18 ? -1 : 0;
        while (p < stop && number >= 0) {
            int digit = bytes[p++] - '0';
            number = digit < 0 || digit > 9 ? -1 : number * 10 + digit;
        }
        return number;
    }

    /** Returns the header's value with its escapes, or null if the frame does not have the header. */
    @Nullable String text(Header header) {
        return has(header)
            ? new String(bytes, from(header), to(header) - from(header), StandardCharsets.UTF_8) : null;
    }

    /** Returns the body between position and limit; the same buffer at each call. */
    ByteBuffer body() {
        return view(bodyFrom, bodyTo);
    }

    /** Returns the envelope beside the body, or null; the same buffer at each call. */
    @Nullable ByteBuffer envelope() {
        int at = from[Header.ENVELOPE.ordinal()];
        if (at < 0) {
            return null;
        }
        int end = to[Header.ENVELOPE.ordinal()];
        if (envelope.capacity() < (end - at) / 2) {
            envelope = ByteBuffer.allocate((end - at) / 2);
        }
        return PropertyText.decode(in, at, end, envelope) ? envelope : null;
    }

    /** Returns the body as text. */
    String bodyText() {
        return new String(bytes, bodyFrom, bodyTo - bodyFrom, StandardCharsets.UTF_8);
    }
}
