package io.brokermeter.driver.redis;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.driver.wire.ReadBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The reading side of a socket to Redis, split into elements of RESP2: a line, a text with its length, or a list, which is its head alone or
 * the whole of it with all that it contains. Elements are read where they lie. Used by one thread at a time.
 */
final class RespReader extends ReadBuffer {

    /** The longest text that Redis allows by default, in bytes. */
    private static final int LONGEST = 512 * 1024 * 1024;
    private static final int LONGEST_LINE = 64 * 1024;
    private static final int MOST_ELEMENTS = 16 * 1024 * 1024;
    private static final int DEEPEST = 16;
    private static final int FEW = 1024;
    private static final int USUAL = 256 * 1024;

    private boolean whole = true;
    /** The position behind an element that has not arrived completely, as far as it is known; else 0. */
    private int incomplete;
    /** Where {@link #read} goes on. */
    private int at;

    // the last element
    private int token;
    private byte type;
    private long number;
    private int content;
    private int contentEnd;
    private int behind;

    RespReader() {
        super(true, USUAL, 2 * LONGEST);
    }

    /** Sets whether the next lists are taken as a whole, or their heads alone, so that their elements are the next ones. */
    void whole(boolean lists) {
        whole = lists;
    }

    /** Moves to the next element of the answers. That of a whole list is its head, and {@link #read} goes through it from there. */
    @Override
    public boolean next() throws IOException {
        int from = start;
        int end = whole ? end(from, DEEPEST) : element(from) ? behind : -1;
        if (end < 0) {
            announced = Math.max(0, incomplete - from);
            incomplete = 0;
            return false;
        }
        start = end;
        at = from;
        read();
        return true;
    }

    /** Returns the position behind the whole element at a position; -1 if it has not arrived completely. */
    private int end(int from, int depth) throws IOException {
        if (!element(from)) {
            return -1;
        }
        int position = behind;
        if (type == '*') {
            if (depth == 0) {
                throw new IOException("The server sent lists in lists, more than " + DEEPEST + " deep.");
            }
            long elements = number;
            for (long i = 0; i < elements && position >= 0; i++) {
                position = end(position, depth - 1);
            }
        }
        return position;
    }

    /** Moves to the next element within the current one, which has arrived completely. */
    void read() throws IOException {
        if (!element(at)) {
            throw new IOException("The server sent a list that is shorter than it said.");
        }
        at = behind;
    }

    /** Moves to the element at a position; returns false if it has not arrived completely. Of a list this is its head. */
    private boolean element(int from) throws IOException {
        if (from >= in.limit()) {
            return false;
        }
        byte kind = in.get(from);
        if (kind != '$' && kind != '*' && kind != ':' && kind != '+' && kind != '-') {
            throw new IOException("The server sent something that is no answer of Redis, beginning with byte " + (kind & 0xff) + ".");
        }
        int end = lineEnd(from + 1);
        if (end < 0) {
            return false;
        }
        token = from;
        type = kind;
        content = from + 1;
        contentEnd = end;
        behind = end + 2;
        switch (kind) {
            case ':' -> number = digits(content, end);
            case '*' -> number = length(end, MOST_ELEMENTS, "a list of", "elements");
            case '$' -> {
                number = length(end, LONGEST, "a text of", "bytes");
                content = behind;
                contentEnd = content + (int) Math.max(0, number);
                behind = number < 0 ? content : contentEnd + 2;
            }
            default -> number = 0;
        }
        if (behind > in.limit()) {
            incomplete = behind;
            return false;
        }
        return true;
    }

    /** Returns the position of the line end, -1 if it has not arrived. */
    private int lineEnd(int from) throws IOException {
        int limit = in.limit();
        for (int i = from; i < limit; i++) {
            if (in.get(i) == '\n' && in.get(i - 1) == '\r') {
                return i - 1;
            }
        }
        if (limit - from > LONGEST_LINE) {
            throw new IOException("The server sent something that is no answer of Redis, a line of more than " + LONGEST_LINE + " bytes.");
        }
        return -1;
    }

    /** @return the length; -1 for a null value */
    private long length(int lineEnd, int most, String what, String unit) throws IOException {
        long length = digits(content, lineEnd);
        if (length < -1 || length > most) {
            throw new IOException("The server announced " + what + " " + length + " " + unit + "; more than " + most + " are not taken.");
        }
        return length;
    }

    private long digits(int from, int to) throws IOException {
        boolean negative = from < to && in.get(from) == '-';
        long value = 0;
        for (int i = negative ? from + 1 : from; i < to; i++) {
            int digit = in.get(i) - '0';
            if (digit < 0 || digit > 9) {
                throw new IOException(
                    "The server sent something that is no answer of Redis, a number with byte " + (in.get(i) & 0xff) + ".");
            }
            value = value > Long.MAX_VALUE / 16 ? value : value * 10 + digit;
        }
        return negative ? -value : value;
    }

    // ---- the element

    boolean isList() {
        return type == '*';
    }

    boolean isText() {
        return type == '$' && number >= 0;
    }

    boolean isError() {
        return type == '-';
    }

    /** Returns the number, the length of a text in bytes or that of a list in elements; -1 for one that is null. */
    long number() {
        return number;
    }

    /** Returns the position at which the element begins, with its type. */
    int token() {
        return token;
    }

    /** Returns the position at which the content of a text or line begins. */
    int content() {
        return content;
    }

    int contentEnd() {
        return contentEnd;
    }

    /** Returns the position behind the element with its line ends; behind the head of a list. */
    int behind() {
        return behind;
    }

    /** Returns whether the content is these bytes. */
    boolean is(byte[] bytes) {
        return contentEnd - content == bytes.length && holds(in, content, bytes, 0, bytes.length);
    }

    /** Returns whether a buffer has these bytes at a position. */
    static boolean holds(ByteBuffer buffer, int position, byte[] bytes, int from, int length) {
        for (int i = length - 1; i >= 0; i--) {
            if (buffer.get(position + i) != bytes[from + i]) {
                return false;
            }
        }
        return true;
    }

    byte[] bytes() {
        byte[] bytes = new byte[contentEnd - content];
        in.get(content, bytes);
        return bytes;
    }

    String text() {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    RedisError error() {
        return new RedisError(text());
    }

    /**
     * Returns the current element, whole, as bytes, a {@link Long}, a list of these, null, or a {@link RedisError}. Creates objects: for
     * answers that are rare.
     */
    @Nullable Object value() throws IOException {
        if (number < 0 && (type == '$' || type == '*')) {
            return null;
        }
        return switch (type) {
            case '*' -> {
                long elements = number;
                List<@Nullable Object> list = new ArrayList<>((int) Math.min(elements, FEW));
                for (long i = 0; i < elements; i++) {
                    read();
                    list.add(value());
                }
                yield list;
            }
            case ':' -> number;
            case '-' -> error();
            default -> bytes();
        };
    }
}
