package io.brokermeter.driver.nats;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import io.brokermeter.driver.wire.ReadBuffer;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.parameter.PropertyText;
import org.jspecify.annotations.Nullable;

/** The reading side of a connection, split into the server's lines and messages, which are read where they lie. One thread at a time. */
final class NatsReader extends ReadBuffer {

    /** Size limit of a message in bytes; no server can be configured for more than 64 MiB. */
    static final int LARGEST = 128 * 1024 * 1024;
    private static final int LONGEST_LINE = 1024 * 1024;
    private static final int USUAL = 256 * 1024;
    private static final int MOST_WORDS = 6;
    private static final byte[] PROPERTY = ("\n" + Payload.PROPERTY + ":").getBytes(StandardCharsets.US_ASCII);

    /** What the server says. */
    enum Kind { MESSAGE, INFO, PING, PONG, ERROR, OK }

    private Kind kind = Kind.OK;
    private int lineEnd;
    /** The positions at which the words of the line begin, and one behind the end of the last one. */
    private final int[] words = new int[MOST_WORDS + 1];
    private int count;
    private long subscription;
    private int replyFrom;
    private int replyTo;
    private int headersFrom;
    private int bodyFrom;
    private int bodyTo;
    private ByteBuffer envelope = ByteBuffer.allocate(64);

    NatsReader() {
        super(true, USUAL, LARGEST + 2 * LONGEST_LINE);
    }

    @Override
    public boolean next() throws IOException {
        int from = start;
        int limit = in.limit();
        int at = from;
        int found = 0;
        words[0] = from;
        for (; at < limit; at++) {
            byte each = in.get(at);
            if (each <= ' ') {
                if (each == '\n') {
                    break;
                }
                if (each == ' ' && found < MOST_WORDS - 1) {
                    words[++found] = at + 1;
                }
            }
        }
        if (at - from > LONGEST_LINE) {
            throw new IOException("the NATS server sent a line of more than " + LONGEST_LINE + " bytes");
        }
        if (at == limit) {
            return false;
        }
        lineEnd = at > from && in.get(at - 1) == '\r' ? at - 1 : at;
        count = found + 1;
        words[count] = lineEnd + 1;
        kind = kind(in.get(from), at > from ? in.get(from + 1) : 0);
        int behind = at + 1;
        if (kind == Kind.MESSAGE) {
            behind = message(behind, in.get(from) == 'H' ? 1 : 0);
        }
        if (behind > limit) {
            announced = behind - from;
            return false;
        }
        start = behind;
        return true;
    }

    private static Kind kind(byte first, byte second) throws IOException {
        return switch (first) {
            case 'M', 'H' -> Kind.MESSAGE;
            case 'P' -> second == 'I' ? Kind.PING : Kind.PONG;
            case '-' -> Kind.ERROR;
            case '+' -> Kind.OK;
            case 'I' -> Kind.INFO;
            default -> throw new IOException("the NATS server sent a line that begins with byte " + (first & 0xff));
        };
    }

    /**
     * Reads the line {@code MSG subject subscription [reply] bytes} or {@code HMSG subject subscription [reply] header-bytes bytes}, and
     * returns the position behind the message.
     */
    private int message(int from, int headers) throws IOException {
        int others = count - headers;
        if (others != 4 && others != 5) {
            throw new IOException("the NATS server sent a message without a length");
        }
        subscription = number(2);
        replyFrom = words[3];
        replyTo = others == 5 ? words[4] - 1 : replyFrom;
        long all = number(count - 1);
        long before = headers == 0 ? 0 : number(count - 2);
        if (all > LARGEST || before > all) {
            throw new IOException("the NATS server announced a message of " + all + " bytes, and more than " + LARGEST + " are not taken");
        }
        headersFrom = from;
        bodyFrom = from + (int) before;
        bodyTo = from + (int) all;
        return bodyTo + 2;
    }

    private long number(int word) throws IOException {
        long number = 0;
        for (int i = words[word]; i < words[word + 1] - 1; i++) {
            int digit = in.get(i) - '0';
            if (digit < 0 || digit > 9) {
                throw new IOException("the NATS server sent a number with byte " + in.get(i));
            }
            // more digits than any length has
            number = Math.min(number, Long.MAX_VALUE / 100) * 10 + digit;
        }
        return number;
    }

    Kind kind() {
        return kind;
    }

    /** Returns what follows the first word of a line: the text of an error, or the description of the server. */
    String text() {
        return text(Math.min(words[1], lineEnd), lineEnd);
    }

    String text(int from, int to) {
        return StandardCharsets.UTF_8.decode(view(from, to)).toString();
    }

    // ---- the current message

    /** Returns the number of the subscription that a message is for. */
    long subscription() {
        return subscription;
    }

    int subjectFrom() {
        return words[1];
    }

    int subjectTo() {
        return words[2] - 1;
    }

    /** Returns the position at which the subject for answers begins; {@link #replyTo} is the same if there is none. */
    int replyFrom() {
        return replyFrom;
    }

    int replyTo() {
        return replyTo;
    }

    /** Returns the code that a message of the server itself has in its headers, behind {@code NATS/1.0}; 0 if it has none. */
    int status() {
        int code = 0;
        for (int i = headersFrom + 9; i < bodyFrom && in.get(i) >= '0' && in.get(i) <= '9'; i++) {
            code = code * 10 + in.get(i) - '0';
        }
        return code;
    }

    /** Returns what the first line of the headers says behind the code. */
    String statusText() {
        String[] parts = text(headersFrom, bodyFrom).lines().findFirst().orElse("").split(" ", 3);
        return parts.length > 2 ? parts[2] : "";
    }

    /** Returns the envelope beside the body, null for none; the same buffer at each call. */
    @Nullable ByteBuffer envelope() {
        int last = bodyFrom - PROPERTY.length;
        for (int i = headersFrom; i < last; i++) {
            if (in.get(i) == '\n' && isProperty(i)) {
                int from = i + PROPERTY.length;
                while (in.get(from) == ' ') {
                    from++;
                }
                int to = from;
                while (in.get(to) > ' ') {
                    to++;
                }
                if (envelope.capacity() < (to - from) / 2) {
                    envelope = ByteBuffer.allocate((to - from) / 2);
                }
                return PropertyText.decode(in, from, to, envelope) ? envelope : null;
            }
        }
        return null;
    }

    private boolean isProperty(int at) {
        for (int i = 1; i < PROPERTY.length; i++) {
            if (in.get(at + i) != PROPERTY[i]) {
                return false;
            }
        }
        return true;
    }

    int length() {
        return bodyTo - bodyFrom;
    }

    /** Returns the body, valid until the next message. Every call returns the same object. */
    ByteBuffer body() {
        return view(bodyFrom, bodyTo);
    }

    /** Returns a copy of the body. */
    byte[] bytes() {
        byte[] bytes = new byte[bodyTo - bodyFrom];
        in.get(bodyFrom, bytes);
        return bytes;
    }
}
