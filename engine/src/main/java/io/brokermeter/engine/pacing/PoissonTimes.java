package io.brokermeter.engine.pacing;

import java.util.SplittableRandom;

import io.brokermeter.engine.scenario.Seeds;

/**
 * Independent arrivals, by a seed. Gaps are -ln(1 - u) / mean with u uniform in [0, 1). They are made in pages, each from a
 * seed of its own, so that any event can be found: only the begin of each page is kept, and the pages that a thread is in.
 * These are several where it owes events: the one of the newest event, and those of the oldest event of each producer.
 * An instance is used by one thread; those of {@link #forAnotherThread} share the begins of the pages.
 */
final class PoissonTimes implements FireTimes {

    private static final int BITS = 12;
    private static final int PAGE = 1 << BITS;

    /** A thread that goes forward crosses from one page to the next and back where its producers are on both sides of the border. */
    private static final int FEWEST = 2;
    /** Pages of 32 KiB each; a thread has as many only if as many producers of it owe events. */
    private static final int MOST = 32;

    private final Begins begins;
    /** The pages that are kept and their numbers, the one that was used last in front. */
    private final double[][] pages;
    private final long[] numbers;
    private int kept;
    private long highest = -1;
    /** How many pages were made. */
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
            // Whoever comes back to a page is going to come back to the others, too.
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

    /** Where each page begins, in nanoseconds; grows as far as anybody asked. */
    private static final class Begins {

        /** Apart from the numbers of those who take part in a run, which may have the seed that a load has. */
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

        /** Writes the moments of a page's events. */
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

        /** Fills a page and answers where the next one begins. The first event of a run is due one gap after its start. */
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
