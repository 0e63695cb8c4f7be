package io.brokermeter.engine.recording;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Collection;

import org.jspecify.annotations.Nullable;

/**
 * What happened in each millisecond of a run: confirmations, deliveries, failed sends, and the longest that a delivered message had waited since its
 * intended time. For runs that are scored by the moments at which something stopped and went on; others do without.
 *
 * <p>Any thread records, without waiting; a page for another second is made by whoever needs it first. What is recorded before {@link #begin}
 * or later than a day after it is left out.
 */
public final class Activity {

    /** Milliseconds of a page. */
    private static final int PAGE = 1024;
    private static final int MOST_PAGES = 24 * 3600 * 1000 / PAGE;
    private static final long MILLI = 1_000_000;
    private static final int SENT = 0;
    private static final int RECEIVED = PAGE;
    private static final int WAITED = 2 * PAGE;
    private static final int FAILED = 3 * PAGE;
    private static final VarHandle PAGES = MethodHandles.arrayElementVarHandle(long[][].class);
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] @Nullable [] pages = new long[MOST_PAGES][];
    private volatile long start;

    /**
     * The milliseconds of a run, each from its start.
     *
     * @param confirmed sends that were confirmed in each
     * @param delivered deliveries in each
     * @param failed sends that failed in each
     * @param longestWait the longest wait of a message that was delivered in it, in nanoseconds
     */
    public record Trace(int[] confirmed, int[] delivered, int[] failed, long[] longestWait) {

        /** How many milliseconds there are. */
        public int length() {
            return confirmed.length;
        }

        /** Of several processes whose runs have the same start. */
        public static Trace sum(Collection<Trace> parts) {
            int length = parts.stream().mapToInt(Trace::length).max().orElse(0);
            Trace all = new Trace(new int[length], new int[length], new int[length], new long[length]);
            for (Trace part : parts) {
                for (int i = 0; i < part.length(); i++) {
                    all.confirmed[i] += part.confirmed[i];
                    all.delivered[i] += part.delivered[i];
                    all.failed[i] += part.failed[i];
                    all.longestWait[i] = Math.max(all.longestWait[i], part.longestWait[i]);
                }
            }
            return all;
        }

        /** Writes it; {@link #read} reads it. */
        public void write(DataOutput to) throws IOException {
            to.writeInt(length());
            for (int i = 0; i < length(); i++) {
                to.writeInt(confirmed[i]);
                to.writeInt(delivered[i]);
                to.writeInt(failed[i]);
                to.writeLong(longestWait[i]);
            }
        }

        /**
         * Reads one that was written.
         *
         * @throws IOException when it is none
         */
        public static Trace read(DataInput from) throws IOException {
            int length = from.readInt();
            if (length < 0 || length > MOST_PAGES * PAGE) {
                throw new IOException("What happened in the run is damaged.");
            }
            Trace trace = new Trace(new int[length], new int[length], new int[length], new long[length]);
            for (int i = 0; i < length; i++) {
                trace.confirmed[i] = from.readInt();
                trace.delivered[i] = from.readInt();
                trace.failed[i] = from.readInt();
                trace.longestWait[i] = from.readLong();
            }
            return trace;
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
            CELL.getAndAdd(cells, SENT + cell(now), 1L);
        }
    }

    /** A send failed. */
    public void failed(long now) {
        long[] cells = page(now);
        if (cells != null) {
            CELL.getAndAdd(cells, FAILED + cell(now), 1L);
        }
    }

    /** A message was delivered that had waited for so many nanoseconds since its intended time. */
    public void delivered(long now, long waited) {
        long[] cells = page(now);
        if (cells == null) {
            return;
        }
        CELL.getAndAdd(cells, RECEIVED + cell(now), 1L);
        int at = WAITED + cell(now);
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
            return cells;
        }
        long[] made = new long[4 * PAGE];
        long[] other = (long[]) PAGES.compareAndExchange(pages, (int) number, null, made);
        return other == null ? made : other;
    }

    /** What was recorded up to the last millisecond in which something was. Exact when nobody records. */
    public Trace trace() {
        int last = MOST_PAGES - 1;
        while (last >= 0 && pages[last] == null) {
            last--;
        }
        int length = (last + 1) * PAGE;
        int[] confirmed = new int[length];
        int[] delivered = new int[length];
        int[] failed = new int[length];
        long[] waited = new long[length];
        for (int i = 0; i < length; i++) {
            long[] cells = (long[]) PAGES.getAcquire(pages, i / PAGE);
            if (cells != null) {
                confirmed[i] = (int) cells[SENT + i % PAGE];
                delivered[i] = (int) cells[RECEIVED + i % PAGE];
                failed[i] = (int) cells[FAILED + i % PAGE];
                waited[i] = cells[WAITED + i % PAGE];
            }
        }
        return new Trace(confirmed, delivered, failed, waited);
    }
}
