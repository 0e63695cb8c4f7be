package io.brokermeter.engine.envelope;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.LongConsumer;

import org.jspecify.annotations.Nullable;

/**
 * An exact set of sequence numbers from 0, one bit each, whatever the order in which they arrive. A page whose bits are all
 * set is released, so a stream of any length needs the few pages that its disorder spans, 4 KiB for each page with a
 * lasting gap, and 4 to 8 bytes for every 32,768 numbers.
 *
 * <p>Several threads may call {@link #add}, but only one at a time if the set was created for a single writer, which is
 * cheaper. The other methods are exact once the writers have ended; before that they may miss the newest numbers.
 */
public final class SequenceSet {

    private static final int PAGE_SHIFT = 15;
    private static final int PAGE_BITS = 1 << PAGE_SHIFT;
    private static final int PAGE_WORDS = PAGE_BITS / Long.SIZE;
    /** The limit below which sequence numbers lie; higher ones are damaged. 2^36 numbers last a week at 100,000 a second. */
    public static final long LIMIT = 1L << 36;
    /** An empty set that stands for one that was never created; nothing is ever added to it. */
    static final SequenceSet NONE = new SequenceSet(true);
    private static final long[] FULL = new long[0];
    private static final int NO_PAGE = 0;
    private static final int FULL_PAGE = 1;
    private static final int PAGE = 2;
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private final boolean singleWriter;
    private volatile long[] @Nullable [] pages = new long[16][];
    /** The number of pages before a new one that are checked for being full: the disorder that costs no memory. */
    private static final int NEAR = 16;
    /** The number of older pages that are checked besides, in turn, since a late number may have filled them. */
    private static final int FAR = 8;

    private long @Nullable [] spare;
    private int lookedAt;

    private SequenceSet(boolean singleWriter) {
        this.singleWriter = singleWriter;
    }

    /** Creates a set that one thread at a time adds to. */
    public static SequenceSet forOneWriter() {
        return new SequenceSet(true);
    }

    /** Creates a set that several threads add to concurrently. */
    public static SequenceSet forManyWriters() {
        return new SequenceSet(false);
    }

    /** Adds a number from 0 and below {@link #LIMIT}; returns false if it was already present. */
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

    /** Returns whether a number is in the set. */
    public boolean contains(long sequence) {
        int page = (int) (sequence >>> PAGE_SHIFT);
        long[][] directory = pages;
        long[] words = page < directory.length ? directory[page] : null;
        return words == FULL || words != null && (words[(int) (sequence & PAGE_BITS - 1) >>> 6] & 1L << sequence) != 0;
    }

    /** Returns the size of the set. */
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

    /** Returns the lowest number in the set, or -1 if the set is empty. */
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

    /** Returns the highest number in the set, or -1 if the set is empty. */
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

    /** Returns how many numbers are in this set and not in {@code other}. */
    public long sizeWithout(SequenceSet other) {
        return sizeWithout(other, 0);
    }

    /** Returns how many numbers from {@code from} on are in this set and not in {@code other}. */
    public long sizeWithout(SequenceSet other, long from) {
        long size = 0;
        long[][] directory = pages;
        long[][] others = other.pages;
        for (int page = (int) Math.min(from >>> PAGE_SHIFT, directory.length); page < directory.length; page++) {
            long[] mine = directory[page];
            long[] theirs = page < others.length ? others[page] : null;
            if (mine == null || theirs == FULL) {
                continue;
            }
            long begin = (long) page << PAGE_SHIFT;
            for (int word = (int) Math.max(0, from - begin) >>> 6; word < PAGE_WORDS; word++) {
                long bits = (mine == FULL ? -1L : mine[word]) & (theirs == null ? -1L : ~theirs[word]);
                size += Long.bitCount(bits & -1L << Math.max(0, from - begin - word * 64L));
            }
        }
        return size;
    }

    /** Returns how many numbers from {@code from} on are in this set. */
    long sizeFrom(long from) {
        return sizeWithout(NONE, from);
    }

    /** Returns how many numbers from {@code from} on are in this set and in {@code other}. */
    long sizeCommon(SequenceSet other, long from) {
        return sizeFrom(from) - sizeWithout(other, from);
    }

    /**
     * Returns a checksum of the set: the sum of {@code one * n + square * n * n} over all its numbers n, modulo 2^64. Equal sets
     * have equal checksums, different sets only with a probability near 2^-64. The checksums of disjoint sets add up to that of
     * their union.
     */
    public long sum(long one, long square) {
        long sum = 0;
        long[][] directory = pages;
        for (int page = 0; page < directory.length; page++) {
            long[] words = directory[page];
            long begin = (long) page << PAGE_SHIFT;
            if (words == FULL) {
                // The sums of 0 to n - 1 and of their squares, shifted by the first number of the page.
                long n = PAGE_BITS;
                long linear = n * (n - 1) / 2;
                long squares = (n - 1) * n * (2 * n - 1) / 6;
                sum += one * (n * begin + linear) + square * (n * begin * begin + 2 * begin * linear + squares);
            } else if (words != null) {
                for (int word = 0; word < PAGE_WORDS; word++) {
                    for (long bits = words[word]; bits != 0; bits &= bits - 1) {
                        long number = begin + word * 64L + Long.numberOfTrailingZeros(bits);
                        sum += one * number + square * number * number;
                    }
                }
            }
        }
        return sum;
    }

    /** Calls {@code each} for every number that is in both sets, in ascending order. */
    void forEachCommon(SequenceSet other, LongConsumer each) {
        int count = Math.min(pages.length, other.pages.length);
        for (int page = 0; page < count; page++) {
            for (int word = 0; pages[page] != null && word < PAGE_WORDS; word++) {
                for (long bits = word(page, word) & other.word(page, word); bits != 0; bits &= bits - 1) {
                    each.accept(((long) page << PAGE_SHIFT) + word * 64L + Long.numberOfTrailingZeros(bits));
                }
            }
        }
    }

    /** Writes the set in the form that {@link #read} reads. */
    public void write(DataOutput to) throws IOException {
        long[][] directory = pages;
        int count = directory.length;
        while (count > 0 && directory[count - 1] == null) {
            count--;
        }
        to.writeInt(count);
        for (int page = 0; page < count; page++) {
            long[] words = directory[page];
            to.writeByte(words == null ? NO_PAGE : words == FULL ? FULL_PAGE : PAGE);
            for (int word = 0; words != null && word < words.length; word++) {
                to.writeLong(words[word]);
            }
        }
    }

    /** Adds the numbers of another set. No other thread may use either set meanwhile. */
    void addAll(SequenceSet other) {
        long[][] others = other.pages;
        if (others.length > pages.length) {
            pages = Arrays.copyOf(pages, others.length);
        }
        for (int page = 0; page < others.length; page++) {
            long[] mine = pages[page];
            long[] theirs = others[page];
            if (theirs == null || mine == FULL) {
                continue;
            }
            if (mine == null || theirs == FULL) {
                pages[page] = theirs == FULL ? FULL : theirs.clone();
                continue;
            }
            for (int word = 0; word < PAGE_WORDS; word++) {
                mine[word] |= theirs[word];
            }
            if (isFull(mine)) {
                pages[page] = FULL;
            }
        }
    }

    /**
     * Reads a set that {@link #write} wrote.
     *
     * @throws IOException if the data is not a set
     */
    public static SequenceSet read(DataInput from) throws IOException {
        int count = from.readInt();
        if (count < 0 || count > LIMIT >>> PAGE_SHIFT) {
            throw new IOException("A set of sequence numbers has " + count + " pages.");
        }
        SequenceSet set = forOneWriter();
        set.pages = new long[Math.max(16, count)][];
        for (int page = 0; page < count; page++) {
            switch (from.readByte()) {
                case NO_PAGE -> {}
                case FULL_PAGE -> set.pages[page] = FULL;
                case PAGE -> {
                    long[] words = new long[PAGE_WORDS];
                    for (int word = 0; word < PAGE_WORDS; word++) {
                        words[word] = from.readLong();
                    }
                    set.pages[page] = words;
                }
                default -> throw new IOException("A set of sequence numbers is damaged.");
            }
        }
        return set;
    }

    /** Returns the memory of the pages and their directory, in bytes. */
    synchronized long bytes() {
        long[][] directory = pages;
        long bytes = spare == null ? 0 : PAGE_WORDS * 8L;
        for (long[] words : directory) {
            bytes += 8 + (words == null || words == FULL ? 0 : PAGE_WORDS * 8L);
        }
        return bytes;
    }

    private long word(int page, int word) {
        long[] words = pages[page];
        return words == null ? 0 : words == FULL ? -1L : words[word];
    }

    private synchronized long[] newPage(int page) {
        if (page >= LIMIT >>> PAGE_SHIFT) {
            throw new IllegalArgumentException("Sequence number out of range.");
        }
        long[][] directory = pages;
        if (page >= directory.length) {
            directory = Arrays.copyOf(directory, Math.max(page + 1, directory.length * 2));
        }
        long[] words = directory[page];
        if (words == null) {
            releaseFullPages(directory, page);
            words = spare == null ? new long[PAGE_WORDS] : spare;
            spare = null;
            directory[page] = words;
        }
        // Written even when unchanged: publishes the new page to the other writers.
        pages = directory;
        return words;
    }

    /**
     * Releases full pages. A writer that still holds such a page finds its bit set in it, so nothing is lost; but the page is not
     * reused while other writers may hold it.
     */
    private void releaseFullPages(long[][] directory, int newPage) {
        int near = Math.max(0, newPage - NEAR);
        for (int page = near; page < newPage; page++) {
            release(directory, page);
        }
        for (int i = 0; i < FAR && near > 0; i++) {
            lookedAt = lookedAt + 1 < near ? lookedAt + 1 : 0;
            release(directory, lookedAt);
        }
    }

    private void release(long[][] directory, int page) {
        long[] words = directory[page];
        if (words == null || words == FULL || !isFull(words)) {
            return;
        }
        directory[page] = FULL;
        if (singleWriter && spare == null) {
            Arrays.fill(words, 0);
            spare = words;
        }
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
