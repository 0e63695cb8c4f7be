package io.brokermeter.engine.pacing;

import java.util.SplittableRandom;

import io.brokermeter.engine.scenario.Seeds;

/**
 * Independent arrivals, by a seed. Gaps are -ln(1 - u) / mean with u uniform in [0, 1). They are made in pages, each from a
 * seed of its own, so that any event can be found: only the begin of each page is kept, and the page that a thread is in.
 * An instance is used by one thread; those of {@link #forAnotherThread()} share the begins of the pages.
 */
final class PoissonTimes implements FireTimes {

    private static final int BITS = 12;
    private static final int PAGE = 1 << BITS;

    private final Begins begins;
    private final double[] page = new double[PAGE];
    private long current = -1;

    PoissonTimes(double mean, long seed) {
        this(new Begins(1e9 / mean, seed));
    }

    private PoissonTimes(Begins begins) {
        this.begins = begins;
    }

    @Override
    public FireTimes forAnotherThread() {
        return new PoissonTimes(begins);
    }

    @Override
    public long at(long index) {
        long wanted = index >>> BITS;
        if (wanted != current) {
            begins.fill(wanted, page);
            current = wanted;
        }
        return (long) page[(int) (index & PAGE - 1)];
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
