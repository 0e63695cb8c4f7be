package io.brokermeter.driver.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Splits the input of a text protocol into answers. An answer is a line that ends with CR LF; some lines are followed by a body, whose
 * length is the last word of the line and which ends with CR LF as well.
 */
public final class LineBuffer extends ReadBuffer {

    private static final int LONGEST_LINE = 1024;

    private final List<String> withBody;
    private final int largestBody;
    private int from;
    private int lineEnd;
    private int bodyFrom;
    private int bodyTo;

    /**
     * @param largestBody size of the largest body, in bytes
     * @param withBody first words of the lines that are followed by a body
     */
    public LineBuffer(int largestBody, String... withBody) {
        super(true, 64 * 1024, largestBody + 2 * LONGEST_LINE);
        this.largestBody = largestBody;
        this.withBody = List.of(withBody);
    }

    @Override
    public boolean next() throws IOException {
        int end = start;
        while (end < in.limit() && in.get(end) != '\n') {
            end++;
        }
        if (end - start > LONGEST_LINE || end < in.limit() && (end == start || in.get(end - 1) != '\r')) {
            throw new IOException("it sent something that is no line of the protocol");
        }
        if (end == in.limit()) {
            return false;
        }
        from = start;
        lineEnd = end - 1;
        bodyFrom = end + 1;
        bodyTo = bodyFrom;
        int after = bodyFrom;
        if (hasBody()) {
            int digits = lineEnd;
            while (digits > from && in.get(digits - 1) != ' ') {
                digits--;
            }
            long length = numberAt(digits);
            if (length > largestBody) {
                throw new IOException("it announced a body of " + length + " bytes");
            }
            bodyTo += (int) length;
            after = bodyTo + 2;
        }
        if (after > in.limit()) {
            return false;
        }
        start = after;
        return true;
    }

    private boolean hasBody() {
        for (int i = 0; i < withBody.size(); i++) {
            if (is(withBody.get(i))) {
                return true;
            }
        }
        return false;
    }

    private long numberAt(int at) {
        long number = 0;
        for (int i = at; i < lineEnd && in.get(i) >= '0' && in.get(i) <= '9' && number < Long.MAX_VALUE / 16; i++) {
            number = number * 10 + in.get(i) - '0';
        }
        return number;
    }

    /** Returns whether the first word of the line is {@code word}. */
    public boolean is(String word) {
        int end = from + word.length();
        if (end > lineEnd || end < lineEnd && in.get(end) != ' ') {
            return false;
        }
        for (int i = 0; i < word.length(); i++) {
            if (in.get(from + i) != word.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the number behind the first word of the line, which must be {@code word}. */
    public long number(String word) {
        return numberAt(from + word.length() + 1);
    }

    /** Returns the body, valid until the reader goes to the next answer. Every call returns the same object. */
    public ByteBuffer body() {
        return view(bodyFrom, bodyTo);
    }

    /** Returns the line, followed by a line break and the body if there is one. */
    public String text() {
        String line = StandardCharsets.UTF_8.decode(view(from, lineEnd)).toString();
        return bodyTo == bodyFrom ? line : line + "\n" + StandardCharsets.UTF_8.decode(body());
    }
}
