package io.brokermeter.engine.envelope;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * An exact set of sequence numbers from 0, one bit each, however far out of order they come. A page whose bits are all
 * set is given back, so a stream without gaps needs two pages whatever its length.
 *
 * <p>{@link #add} may be called by several threads, or by one only when the set was made for a single writer, which is
 * cheaper. Other methods are exact once the writers have ended.
 */
public final class SequenceSet {

    private static final int PAGE_SHIFT = 15;
    private static final int PAGE_BITS = 1 << PAGE_SHIFT;
    private static final int PAGE_WORDS = PAGE_BITS / Long.SIZE;
    /** Numbers beyond this are not sequence numbers but damage; 2^36 is a week at 100,000 a second. */
    public static final long LIMIT = 1L << 36;
    private static final long[] FULL = new long[0];
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private final boolean singleWriter;
    private volatile long[] @Nullable [] pages = new long[16][];
    private long @Nullable [] spare;
    private int firstOpenPage;

    private SequenceSet(boolean singleWriter) {
        this.singleWriter = singleWriter;
    }

    /** A set that one thread at a time adds to. */
    public static SequenceSet forOneWriter() {
        return new SequenceSet(true);
    }

    /** A set that several threads add to at once. */
    public static SequenceSet forManyWriters() {
        return new SequenceSet(false);
    }

    /** Adds a number from 0 to {@link #LIMIT}; false when it was there already. */
    public boolean add(long sequence) {
        int page = (int) (sequence >>> PAGE_SHIFT);
        long[][] directory = pages;
        long[] words = page < directory.length ? directory[page] : null;
        if (words == null) {
            words = newPage(page);
        }
        if (words == FULL) {
            return false;
        }
        int word = (int) (sequence & PAGE_BITS - 1) >>> 6;
        long bit = 1L << sequence;
        if (singleWriter) {
            long before = words[word];
            words[word] = before | bit;
            return (before & bit) == 0;
        }
        return ((long) WORD.getAndBitwiseOr(words, word, bit) & bit) == 0;
    }

    public boolean contains(long sequence) {
        int page = (int) (sequence >>> PAGE_SHIFT);
        long[][] directory = pages;
        long[] words = page < directory.length ? directory[page] : null;
        if (words == null) {
            return false;
        }
        return words == FULL || (words[(int) (sequence & PAGE_BITS - 1) >>> 6] & 1L << sequence) != 0;
    }

    /** Size of the set. */
    public long size() {
        long size = 0;
        for (long[] words : pages) {
            if (words == FULL) {
                size += PAGE_BITS;
            } else if (words != null) {
                for (long word : words) {
                    size += Long.bitCount(word);
                }
            }
        }
        return size;
    }

    /** The lowest number in the set, or -1 for an empty set. */
    public long first() {
        long[][] directory = pages;
        for (int page = 0; page < directory.length; page++) {
            for (int word = 0; directory[page] != null && word < PAGE_WORDS; word++) {
                long bits = word(page, word);
                if (bits != 0) {
                    return ((long) page << PAGE_SHIFT) + word * 64L + Long.numberOfTrailingZeros(bits);
                }
            }
        }
        return -1;
    }

    /** The highest number in the set, or -1 for an empty set. */
    public long last() {
        long[][] directory = pages;
        for (int page = directory.length - 1; page >= 0; page--) {
            for (int word = PAGE_WORDS - 1; directory[page] != null && word >= 0; word--) {
                long bits = word(page, word);
                if (bits != 0) {
                    return ((long) page << PAGE_SHIFT) + word * 64L + 63 - Long.numberOfLeadingZeros(bits);
                }
            }
        }
        return -1;
    }

    /** How many numbers are in this set and not in {@code other}. */
    public long sizeWithout(SequenceSet other) {
        long size = 0;
        long[][] directory = pages;
        for (int page = 0; page < directory.length; page++) {
            for (int word = 0; directory[page] != null && word < PAGE_WORDS; word++) {
                size += Long.bitCount(word(page, word) & ~other.word(page, word));
            }
        }
        return size;
    }

    private long word(int page, int word) {
        long[][] directory = pages;
        long[] words = page < directory.length ? directory[page] : null;
        return words == null ? 0 : words == FULL ? -1L : words[word];
    }

    private synchronized long[] newPage(int page) {
        if (page < 0 || page >= LIMIT >>> PAGE_SHIFT) {
            throw new IllegalArgumentException("Sequence number out of range.");
        }
        long[][] directory = pages;
        if (page >= directory.length) {
            directory = Arrays.copyOf(directory, Math.max(page + 1, directory.length * 2));
        }
        long[] words = directory[page];
        if (words == null) {
            if (singleWriter) {
                releaseFullPages(directory);
            }
            words = spare == null ? new long[PAGE_WORDS] : spare;
            spare = null;
            directory[page] = words;
        }
        // Written even when unchanged: publishes the new page to the other writers.
        pages = directory;
        return words;
    }

    /** Only for a single writer: nobody else can hold a page that is taken back here. */
    private void releaseFullPages(long[][] directory) {
        int open = firstOpenPage;
        while (open < directory.length && directory[open] != null && (directory[open] == FULL || isFull(directory[open]))) {
            if (directory[open] != FULL) {
                spare = directory[open];
                Arrays.fill(spare, 0);
                directory[open] = FULL;
            }
            open++;
        }
        firstOpenPage = open;
    }

    private static boolean isFull(long[] words) {
        for (long word : words) {
            if (word != -1L) {
                return false;
            }
        }
        return true;
    }
}
