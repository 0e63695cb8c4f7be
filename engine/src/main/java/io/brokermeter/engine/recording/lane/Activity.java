package io.brokermeter.engine.recording.lane;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * A record of each millisecond of a run: confirmations, deliveries, failed sends, and the longest time that a delivered message had
 * waited since its intended send time. Kept only for runs that are scored by the moments at which something stopped and resumed.
 *
 * <p>Any thread may record, without blocking; a page for another second is created by the thread that needs it first. What is recorded
 * before {@link #begin}, or later than a day after it, is left out.
 *
 * <p>A second is summed up some seconds later ({@link ActivityPage}) if everything went on as before in it and around it, since a run
 * may last for hours: a day of such seconds takes 10 MB. Seconds that were different are kept in full, at most half an hour of them,
 * which takes 60 MB.
 */
public final class Activity {

    /** The number of pages kept in full before and after a different one: charts show five seconds around a fault. */
    static final int AROUND = 8;
    /** The number of different pages in sequence after which the change counts as permanent. */
    static final int SETTLED = 60;
    /** The largest number of pages that are kept in full. */
    static final int MOST_FULL = 1_800;

    private static final int PAGE = ActivityPage.MILLIS;
    private static final int MOST_PAGES = 24 * 3600 * 1000 / PAGE;
    private static final long MILLI = 1_000_000;
    /** The number of pages before the newest to which a thread that read the clock earlier may still write. */
    private static final int STILL_WRITTEN = 2;
    private static final VarHandle PAGES = MethodHandles.arrayElementVarHandle(long[][].class);
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] @Nullable [] pages = new long[MOST_PAGES][];
    private volatile long start;

    // The state of summing up, which one thread at a time does.
    private final AtomicBoolean summing = new AtomicBoolean();
    private int looked;
    private int lastDifferent;
    private int differentInSequence;
    private int full;
    private long @Nullable [] usual;

    /**
     * The milliseconds of a run, counted from its start, of one process or of several whose runs have the same start. Must not be used
     * while a thread records.
     */
    public static final class Trace {

        private final List<long[] @Nullable []> parts;
        private final int length;

        private Trace(List<long[] @Nullable []> parts, int length) {
            this.parts = List.copyOf(parts);
            this.length = length;
        }

        /**
         * Creates a trace of known values.
         *
         * @param confirmed number of sends confirmed in each millisecond
         * @param delivered number of deliveries in each millisecond
         * @param failed number of sends that failed in each millisecond
         * @param longestWait longest wait of a message that was delivered in each millisecond, in nanoseconds
         */
        public Trace(int[] confirmed, int[] delivered, int[] failed, long[] longestWait) {
            length = confirmed.length;
            long[][] pages = new long[Math.ceilDiv(length, PAGE)][ActivityPage.FULL];
            for (int i = 0; i < length; i++) {
                long[] cells = pages[i / PAGE];
                cells[ActivityPage.SENT + i % PAGE] = confirmed[i];
                cells[ActivityPage.RECEIVED + i % PAGE] = delivered[i];
                cells[ActivityPage.FAILED + i % PAGE] = failed[i];
                cells[ActivityPage.WAITED + i % PAGE] = longestWait[i];
            }
            parts = List.<long[] @Nullable []>of(pages);
        }

        /** Returns the number of milliseconds. */
        public int length() {
            return length;
        }

        /** Returns the number of sends confirmed in a millisecond; 0 beyond the end, as for the other figures. */
        public int confirmed(int milli) {
            return count(milli, ActivityPage.SENT);
        }

        /** Returns the number of deliveries in a millisecond. */
        public int delivered(int milli) {
            return count(milli, ActivityPage.RECEIVED);
        }

        /** Returns the number of sends that failed in a millisecond. */
        public int failed(int milli) {
            return count(milli, ActivityPage.FAILED);
        }

        private int count(int milli, int row) {
            long sum = 0;
            for (long[] @Nullable [] pages : parts) {
                sum += at(pages, milli, row);
            }
            return (int) sum;
        }

        /**
         * Returns the longest wait of a message that was delivered in a millisecond, or in the second around it if that is summed up,
         * in nanoseconds.
         */
        public long longestWait(int milli) {
            long longest = 0;
            for (long[] @Nullable [] pages : parts) {
                longest = Math.max(longest, at(pages, milli, ActivityPage.WAITED));
            }
            return longest;
        }

        private static long at(long[] @Nullable [] pages, int milli, int row) {
            long[] page = milli >= 0 && milli / PAGE < pages.length ? pages[milli / PAGE] : null;
            return page == null ? 0 : ActivityPage.at(page, row, milli % PAGE);
        }

        /** Returns the trace of several processes whose runs have the same start. */
        public static Trace sum(Collection<Trace> traces) {
            return new Trace(traces.stream().flatMap(trace -> trace.parts.stream()).toList(),
                traces.stream().mapToInt(Trace::length).max().orElse(0));
        }

        /** Writes the trace of one process in the form that {@link #read} reads. */
        public void write(DataOutput to) throws IOException {
            long[] @Nullable [] pages = parts.getFirst();
            to.writeInt(pages.length);
            for (long[] page : pages) {
                to.writeInt(page == null ? 0 : page.length);
                for (int i = 0; page != null && i < page.length; i++) {
                    to.writeLong(page[i]);
                }
            }
        }

        /**
         * Reads a trace that {@link #write} wrote.
         *
         * @throws IOException if the data is not a trace
         */
        public static Trace read(DataInput from) throws IOException {
            int count = from.readInt();
            if (count < 0 || count > MOST_PAGES) {
                throw damaged();
            }
            long[] @Nullable [] pages = new long[count][];
            for (int number = 0; number < count; number++) {
                int size = from.readInt();
                if (size != 0 && !ActivityPage.isSize(size)) {
                    throw damaged();
                }
                long[] page = size == 0 ? null : new long[size];
                for (int i = 0; i < size && page != null; i++) {
                    page[i] = from.readLong();
                }
                pages[number] = page;
            }
            return new Trace(List.<long[] @Nullable []>of(pages), count * PAGE);
        }

        private static IOException damaged() {
            return new IOException("What happened in the run is damaged.");
        }
    }

    /** Sets the start of the run, in nanoseconds since the epoch. */
    public void begin(long startNanos) {
        start = startNanos;
    }

    /** Records that a send was confirmed at {@code now}, in nanoseconds since the epoch. */
    public void confirmed(long now) {
        long[] cells = page(now);
        if (cells != null) {
            CELL.getAndAdd(cells, ActivityPage.SENT + cell(now), 1L);
        }
    }

    /** Records that a send failed at {@code now}, in nanoseconds since the epoch. */
    public void failed(long now) {
        long[] cells = page(now);
        if (cells != null) {
            CELL.getAndAdd(cells, ActivityPage.FAILED + cell(now), 1L);
        }
    }

    /** Records that a message was delivered which had waited for {@code waited} nanoseconds since its intended send. */
    public void delivered(long now, long waited) {
        long[] cells = page(now);
        if (cells == null) {
            return;
        }
        CELL.getAndAdd(cells, ActivityPage.RECEIVED + cell(now), 1L);
        int at = ActivityPage.WAITED + cell(now);
        long longest = (long) CELL.getOpaque(cells, at);
        while (longest < waited && !CELL.compareAndSet(cells, at, longest, waited)) {
            longest = (long) CELL.getOpaque(cells, at);
        }
    }

    private int cell(long now) {
        return (int) ((now - start) / MILLI % PAGE);
    }

    private long @Nullable [] page(long now) {
        long from = start;
        long number = (now - from) / MILLI / PAGE;
        if (from == 0 || now < from || number >= MOST_PAGES) {
            return null;
        }
        long[] cells = (long[]) PAGES.getAcquire(pages, (int) number);
        if (cells == null) {
            long[] made = new long[ActivityPage.FULL];
            cells = (long[]) PAGES.compareAndExchange(pages, (int) number, null, made);
            if (cells == null) {
                sumUp((int) number);
                return made;
            }
        }
        // A thread that was stopped for seconds between reading the clock and this line is too late.
        return ActivityPage.isFull(cells) ? cells : null;
    }

    /** Examines the pages that are over and sums up older ones. Called when another page begins, about once a second. */
    private void sumUp(int newest) {
        if (!summing.compareAndSet(false, true)) {
            return;
        }
        try {
            for (; looked < newest - STILL_WRITTEN; looked++) {
                look((long[]) PAGES.getAcquire(pages, looked));
                int before = looked - AROUND;
                long[] cells = before < 0 ? null : (long[]) PAGES.getAcquire(pages, before);
                if (cells != null && (lastDifferent < before - AROUND || ++full > MOST_FULL)) {
                    PAGES.setRelease(pages, before, ActivityPage.summary(cells));
                }
            }
        } finally {
            summing.set(false);
        }
    }

    private void look(long @Nullable [] cells) {
        long[] known = usual;
        if (known != null && !ActivityPage.isDifferent(cells, known)) {
            differentInSequence = 0;
            return;
        }
        lastDifferent = looked;
        differentInSequence++;
        if (differentInSequence >= SETTLED) {
            differentInSequence = 0;
            usual = ActivityPage.summary(cells == null ? new long[ActivityPage.FULL] : cells);
        }
    }

    /** Returns the record up to the last second in which anything was recorded. Exact if no thread is recording. */
    public Trace trace() {
        int count = MOST_PAGES;
        while (count > 0 && pages[count - 1] == null) {
            count--;
        }
        return new Trace(List.<long[] @Nullable []>of(Arrays.copyOf(pages, count)), count * PAGE);
    }
}
