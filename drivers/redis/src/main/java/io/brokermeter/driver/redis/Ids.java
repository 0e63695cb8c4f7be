package io.brokermeter.driver.redis;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Ids of entries, as words of a command: what an answer has is what a command needs, so they are neither decoded nor encoded. Creates no
 * object per id. Not safe for use by several threads at once.
 */
final class Ids {

    private byte[] words = new byte[64];
    private int length;
    private int count;

    int count() {
        return count;
    }

    /** Returns the length of all words in bytes. */
    int length() {
        return length;
    }

    void add(ByteBuffer in, int from, int to) {
        int more = to - from;
        if (words.length - length < more) {
            words = Arrays.copyOf(words, Math.max(2 * words.length, length + more));
        }
        in.get(from, words, length, more);
        length += more;
        count++;
    }

    boolean contains(ByteBuffer in, int from, int to) {
        int size = to - from;
        int end = 0;
        for (int at = 0; at < length; at = end) {
            end = at + 1;
            // a word has two line ends
            for (int lines = 0; lines < 2; end++) {
                lines += words[end] == '\n' ? 1 : 0;
            }
            if (end - at == size && RespReader.holds(in, from, words, at, size)) {
                return true;
            }
        }
        return false;
    }

    void put(ByteBuffer out) {
        out.put(words, 0, length);
    }

    void clear() {
        length = 0;
        count = 0;
    }
}
