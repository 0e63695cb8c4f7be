package io.brokermeter.driver.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Cuts a text protocol into answers: a line that ends with CR LF, and behind some of them a body whose length is the line's last
 * word, which ends with CR LF as well.
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
     * @param largestBody bytes of the largest body
     * @param withBody the first words of lines with a body
     */
    public LineBuffer(int largestBody, String... withBody) {
        super(ByteBuffer.allocateDirect(64 * 1024), largestBody + 2 * LONGEST_LINE);
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

    /** Whether this is the line's first word. */
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

    /** The number behind the first word, which is {@code word}. */
    public long number(String word) {
        return numberAt(from + word.length() + 1);
    }

    /** The body, valid as long as the reader is at it; the same object at each call. */
    public ByteBuffer body() {
        return view(bodyFrom, bodyTo);
    }

    /** The line, and behind a line break the body where there is one. */
    public String text() {
        String line = StandardCharsets.UTF_8.decode(view(from, lineEnd)).toString();
        return bodyTo == bodyFrom ? line : line + "\n" + StandardCharsets.UTF_8.decode(body());
    }
}
