package io.brokermeter.engine.recording;

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
 * What happened in each millisecond of a run: confirmations, deliveries, failed sends, and the longest that a delivered message had waited since its
 * intended time. For runs that are scored by the moments at which something stopped and went on; others do without.
 *
 * <p>Any thread records, without waiting; a page for another second is made by whoever needs it first. What is recorded before {@link #begin}
 * or later than a day after it is left out.
 *
 * <p>A second in which and around which everything went on as before is summed up when it is some seconds old ({@link ActivityPage}), since a run
 * may last for hours: a day of them is 10 MB. Seconds that were different stay as they are, about half an hour of them and 60 MB at most.
 */
public final class Activity {

    /** Pages, which are about seconds, before and after one that is different: pictures show five seconds around a fault. */
    static final int AROUND = 8;
    /** After this number of different ones in sequence, the change counts as lasting. */
    static final int SETTLED = 60;
    /** Pages that stay as they are. */
    static final int MOST_FULL = 1_800;

    private static final int PAGE = ActivityPage.MILLIS;
    private static final int MOST_PAGES = 24 * 3600 * 1000 / PAGE;
    private static final long MILLI = 1_000_000;
    /** Whoever took the time for a page before may still write to it. */
    private static final int STILL_WRITTEN = 2;
    private static final VarHandle PAGES = MethodHandles.arrayElementVarHandle(long[][].class);
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] @Nullable [] pages = new long[MOST_PAGES][];
    private volatile long start;

    // Of whoever sums up, which is one thread at a time.
    private final AtomicBoolean summing = new AtomicBoolean();
    private int looked;
    private int lastDifferent;
    private int differentInSequence;
    private int full;
    private long @Nullable [] usual;

    /** The milliseconds of a run, each from its start, of one process or of several whose runs have the same start. Not for use while somebody records. */
    public static final class Trace {

        private final List<long[] @Nullable []> parts;
        private final int length;

        private Trace(List<long[] @Nullable []> parts, int length) {
            this.parts = List.copyOf(parts);
            this.length = length;
        }

        /**
         * One that is known.
         *
         * @param confirmed sends that were confirmed in each millisecond
         * @param delivered deliveries in each
         * @param failed sends that failed in each
         * @param longestWait the longest wait of a message that was delivered in it, in nanoseconds
         */
        Trace(int[] confirmed, int[] delivered, int[] failed, long[] longestWait) {
            length = confirmed.length;
            long[][] pages = new long[(length + PAGE - 1) / PAGE][ActivityPage.FULL];
            for (int i = 0; i < length; i++) {
                long[] cells = pages[i / PAGE];
                cells[ActivityPage.SENT + i % PAGE] = confirmed[i];
                cells[ActivityPage.RECEIVED + i % PAGE] = delivered[i];
                cells[ActivityPage.FAILED + i % PAGE] = failed[i];
                cells[ActivityPage.WAITED + i % PAGE] = longestWait[i];
            }
            parts = List.<long[] @Nullable []>of(pages);
        }

        /** How many milliseconds there are. */
        public int length() {
            return length;
        }

        /** Sends that were confirmed in a millisecond; 0 beyond the end, as all others. */
        public int confirmed(int milli) {
            return count(milli, ActivityPage.SENT);
        }

        /** Deliveries in a millisecond. */
        public int delivered(int milli) {
            return count(milli, ActivityPage.RECEIVED);
        }

        /** Sends that failed in a millisecond. */
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

        /** The longest wait of a message that was delivered in a millisecond, or in the second around it that is like others, in nanoseconds. */
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

        /** Of several processes whose runs have the same start. */
        public static Trace sum(Collection<Trace> traces) {
            return new Trace(traces.stream().flatMap(trace -> trace.parts.stream()).toList(),
                traces.stream().mapToInt(Trace::length).max().orElse(0));
        }

        /** Writes that of one process; {@link #read} reads it. */
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
         * Reads one that was written.
         *
         * @throws IOException when it is none
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

    /** Fixes the run's start, nanoseconds since the epoch. */
    public void begin(long startNanos) {
        start = startNanos;
    }

    /** A send was confirmed. */
    public void confirmed(long now) {
        long[] cells = page(now);
        if (cells != null) {
            CELL.getAndAdd(cells, ActivityPage.SENT + cell(now), 1L);
        }
    }

    /** A send failed. */
    public void failed(long now) {
        long[] cells = page(now);
        if (cells != null) {
            CELL.getAndAdd(cells, ActivityPage.FAILED + cell(now), 1L);
        }
    }

    /** A message was delivered that had waited for {@code waited} nanoseconds since its intended send. */
    public void delivered(long now, long waited) {
        long[] cells = page(now);
        if (cells == null) {
            return;
        }
        CELL.getAndAdd(cells, ActivityPage.RECEIVED + cell(now), 1L);
        int at = ActivityPage.WAITED + cell(now);
        long longest;
        while ((longest = (long) CELL.getOpaque(cells, at)) < waited && !CELL.compareAndSet(cells, at, longest, waited)) {
            Thread.onSpinWait();
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
        if (cells != null) {
            // Who stood still for seconds between the time and here is too late.
            return ActivityPage.isFull(cells) ? cells : null;
        }
        long[] made = new long[ActivityPage.FULL];
        long[] other = (long[]) PAGES.compareAndExchange(pages, (int) number, null, made);
        if (other != null) {
            return ActivityPage.isFull(other) ? other : null;
        }
        sumUp((int) number);
        return made;
    }

    /** Looks at the pages that are over, when the first millisecond of another one comes: about once a second. */
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

    /** What was recorded up to the last second in which something was. Exact when nobody records. */
    public Trace trace() {
        int count = MOST_PAGES;
        while (count > 0 && pages[count - 1] == null) {
            count--;
        }
        return new Trace(List.<long[] @Nullable []>of(Arrays.copyOf(pages, count)), count * PAGE);
    }
}
