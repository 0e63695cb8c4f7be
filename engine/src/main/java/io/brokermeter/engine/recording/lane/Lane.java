package io.brokermeter.engine.recording.lane;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A recorder into which all threads put the samples of one metric of one group, by phase. {@link #record} never blocks, and allocates
 * only for the first sample of a magnitude: 8 KiB for each phase, stripe and magnitude, whatever the number of endpoints.
 *
 * <p>The samples of a phase are kept in stripes, and a thread uses the stripe that its id selects. Stripes serve speed alone: threads
 * that share one remain exact, because a sample is one atomic add to its cell. Nothing belongs to an endpoint, so memory grows with the
 * processors of the machine and not with producers, consumers or the threads of their clients, of which there may be one for each
 * connection. A recorder for a single writer would be no cheaper: that of HdrHistogram takes two atomic adds for a sample, so that
 * its reader can tell when the writer is done.
 *
 * <p>The reader is another single thread. It takes each cell by an atomic exchange with 0, so a sample is taken exactly once, whatever is
 * being written meanwhile, and nothing has to be swapped, copied or allocated for that.
 */
public final class Lane {

    /** The highest value, one hour in nanoseconds; samples above it are recorded as this value and counted as clamped. */
    public static final long HIGHEST = 3_600_000_000_000L;
    public static final int DIGITS = 3;

    /** The bits of a cell number. There are 2,048 values of one unit, 1,024 of two, 1,024 of four and so on: 3 significant digits. */
    private static final int PAGE_BITS = 10;
    public static final int PAGE_CELLS = 1 << PAGE_BITS;
    private static final int LOW_VALUES = 2 * PAGE_CELLS - 1;
    public static final int PAGES = page(HIGHEST) + 1;
    /** The places of the counts of samples that do not fit into a cell, which are kept for each stripe. */
    private static final int NEGATIVE = 0;
    private static final int CLAMPED = 8;
    private static final int ODD_CELLS = 16;

    private static final VarHandle PAGE = MethodHandles.arrayElementVarHandle(long[][].class);
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    private final int stripes;
    /** Cells by phase, stripe and page; a page is created when it is needed. */
    private final long @Nullable [][] pages;
    /** Counts of samples that do not fit into a cell, by phase and stripe. */
    private final long[][] odd;

    /**
     * Creates a lane without samples.
     *
     * @param stripes number of stripes, a power of two
     */
    public Lane(int phases, int stripes) {
        this.stripes = stripes;
        this.pages = new long[phases * stripes * PAGES][];
        this.odd = new long[phases * stripes][ODD_CELLS];
    }

    /** Records a sample in nanoseconds. Any thread may call it. */
    public void record(long nanos, int phase) {
        int stripe = (int) Thread.currentThread().threadId() & stripes - 1;
        long value = nanos;
        if (value < 0) {
            CELL.getAndAdd(odd[phase * stripes + stripe], NEGATIVE, 1L);
            return;
        }
        if (value > HIGHEST) {
            CELL.getAndAdd(odd[phase * stripes + stripe], CLAMPED, 1L);
            value = HIGHEST;
        }
        int magnitude = magnitude(value);
        int scaled = (int) (value >>> magnitude);
        int page = (phase * stripes + stripe) * PAGES + (scaled < PAGE_CELLS ? 0 : magnitude + 1);
        long[] cells = (long[]) PAGE.getAcquire(pages, page);
        if (cells == null) {
            cells = newPage(page);
        }
        CELL.getAndAdd(cells, scaled & PAGE_CELLS - 1, 1L);
    }

    private long[] newPage(int page) {
        long[] made = new long[PAGE_CELLS];
        long[] other = (long[]) PAGE.compareAndExchange(pages, page, null, made);
        return other == null ? made : other;
    }

    private static int magnitude(long value) {
        return Long.numberOfLeadingZeros(LOW_VALUES) - Long.numberOfLeadingZeros(value | LOW_VALUES);
    }

    private static int page(long value) {
        int magnitude = magnitude(value);
        return value >>> magnitude < PAGE_CELLS ? 0 : magnitude + 1;
    }

    /** Returns the lowest value that belongs to a cell. */
    private static long lowest(int page, int cell) {
        return page == 0 ? cell : (long) (PAGE_CELLS + cell) << page - 1;
    }

    /**
     * Moves the samples of a phase since the last call into a histogram of at least the range and precision of the lane. For the reader
     * thread only.
     */
    public void drain(int phase, Histogram into) {
        int first = phase * stripes * PAGES;
        for (int i = first; i < first + stripes * PAGES; i++) {
            long[] cells = (long[]) PAGE.getAcquire(pages, i);
            for (int cell = 0; cells != null && cell < PAGE_CELLS; cell++) {
                if ((long) CELL.getOpaque(cells, cell) != 0) {
                    into.recordValueWithCount(lowest(i % PAGES, cell), (long) CELL.getAndSet(cells, cell, 0L));
                }
            }
        }
    }

    /** Returns the number of samples of a phase below zero since the last call. For the reader thread only. */
    public long drainNegative(int phase) {
        return drainOdd(phase, NEGATIVE);
    }

    /** Returns the number of samples of a phase above {@link #HIGHEST} since the last call. For the reader thread only. */
    public long drainClamped(int phase) {
        return drainOdd(phase, CLAMPED);
    }

    private long drainOdd(int phase, int cell) {
        long sum = 0;
        for (int i = phase * stripes; i < (phase + 1) * stripes; i++) {
            sum += (long) CELL.getAndSet(odd[i], cell, 0L);
        }
        return sum;
    }
}
