package io.brokermeter.engine.run.receive;

import java.nio.ByteBuffer;

import io.brokermeter.engine.recording.lane.Counter;

/** The sum of the numbers that follow a text in the messages of a summarizer. */
public final class NumberSum {

    private static final long MOST_SUMMED = Long.MAX_VALUE / 10 - 9;

    private final byte[] text;
    private final Counter sum = new Counter();

    NumberSum(byte[] text) {
        this.text = text;
    }

    void add(ByteBuffer body) {
        sum.add(numberIn(body, text));
    }

    long get() {
        return sum.get();
    }

    /** Returns the whole number that follows the first occurrence of a text in a body; 0 when there is none. */
    public static long numberIn(ByteBuffer body, byte[] text) {
        int last = body.limit() - text.length;
        for (int at = body.position(); at < last; at++) {
            int matched = 0;
            while (matched < text.length && body.get(at + matched) == text[matched]) {
                matched++;
            }
            if (matched == text.length) {
                long number = 0;
                for (int i = at + matched; i < body.limit() && body.get(i) >= '0' && body.get(i) <= '9' && number < MOST_SUMMED; i++) {
                    number = number * 10 + body.get(i) - '0';
                }
                return number;
            }
        }
        return 0;
    }
}
