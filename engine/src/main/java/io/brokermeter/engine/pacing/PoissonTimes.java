package io.brokermeter.engine.pacing;

import java.util.SplittableRandom;

import io.brokermeter.engine.scenario.Seeds;

/**
 * A schedule of independent arrivals, determined by a seed. Gaps are -ln(1 - u) / mean with u uniform in [0, 1). They are
 * generated in pages, each from a seed of its own, so that any event can be computed: only the start of each page is kept, and
 * the pages that a thread currently uses. A thread that is behind its schedule uses several: that of the newest event, and
 * that of the oldest pending event of each producer. An instance is used by one thread; instances of {@link #forAnotherThread}
 * share the starts of the pages.
 */
final class PoissonTimes implements FireTimes {

    private static final int BITS = 12;
    private static final int PAGE = 1 << BITS;

    /** The least number of pages: a thread whose producers are on both sides of the border of a page goes back and forth. */
    private static final int FEWEST = 2;
    /** The largest number of pages, of 32 KiB each; a thread uses as many only if as many of its producers are behind. */
    private static final int MOST = 32;

    private final Begins begins;
    /** The pages that are kept and their numbers, the most recently used first. */
    private final double[][] pages;
    private final long[] numbers;
    private int kept;
    private long highest = -1;
    /** The number of pages that were generated. */
    long fills;

    PoissonTimes(double mean, long seed) {
        this(new Begins(1e9 / mean, seed), MOST);
    }

    private PoissonTimes(Begins begins, int places) {
        int most = Math.clamp(places, FEWEST, MOST);
        this.begins = begins;
        this.pages = new double[most][];
        this.numbers = new long[most];
        this.numbers[0] = -1;
    }

    @Override
    public PoissonTimes forAnotherThread(int places) {
        return new PoissonTimes(begins, places);
    }

    @Override
    public long at(long index) {
        long wanted = index >>> BITS;
        if (wanted != numbers[0]) {
            bringToFront(wanted);
        }
        return (long) pages[0][(int) (index & PAGE - 1)];
    }

    int pagesKept() {
        return kept;
    }

    private void bringToFront(long wanted) {
        int place = 0;
        while (place < kept && numbers[place] != wanted) {
            place++;
        }
        boolean isKept = place < kept;
        if (!isKept && (kept < FEWEST || wanted < highest && kept < pages.length)) {
            // A thread that returns to one page will return to the others, too.
            pages[kept++] = new double[PAGE];
        } else if (!isKept) {
            place--;
        }
        double[] page = pages[place];
        System.arraycopy(numbers, 0, numbers, 1, place);
        System.arraycopy(pages, 0, pages, 1, place);
        numbers[0] = wanted;
        pages[0] = page;
        if (!isKept) {
            begins.fill(wanted, page);
            highest = Math.max(highest, wanted);
            fills++;
        }
    }

    /** The starts of the pages, in nanoseconds, computed as far as they were requested. Any thread may use them. */
    private static final class Begins {

        /** The number of the sequence of arrivals, which no participant of a run has, since these may have the same seed as a load. */
        private static final long ARRIVALS = -1;

        private final double meanGap;
        private final long seed;
        private final double[] scratch = new double[PAGE];
        private double[] known = {0};
        private int count = 1;

        Begins(double meanGap, long seed) {
            this.meanGap = meanGap;
            this.seed = Seeds.of(seed, ARRIVALS);
        }

        /** Writes the times of a page's events into {@code target}. */
        void fill(long number, double[] target) {
            double begin = begin(number);
            draw(number, begin, target);
        }

        private synchronized double begin(long number) {
            while (count <= number) {
                if (count == known.length) {
                    known = java.util.Arrays.copyOf(known, count * 2);
                }
                known[count] = draw(count - 1L, known[count - 1], scratch);
                count++;
            }
            return known[(int) number];
        }

        /** Fills a page and returns the start of the next one. The first event of a run is due one gap after its start. */
        private double draw(long number, double begin, double[] target) {
            SplittableRandom random = new SplittableRandom(Seeds.of(seed, number));
            double at = begin;
            for (int i = 0; i < PAGE; i++) {
                at += -Math.log(1 - random.nextDouble()) * meanGap;
                target[i] = at;
            }
            return at;
        }
    }
}
