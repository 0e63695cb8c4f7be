package io.brokermeter.engine.run;

import java.util.SplittableRandom;

import io.brokermeter.engine.scenario.TimeLaw;

/** Draws what is random in a run, from a seed. Used by one thread at a time; allocates nothing for a draw. */
final class RandomDraw {

    private final SplittableRandom random;
    private final long shortest;
    private final long span;
    private final long mean;

    /** For shares only. */
    RandomDraw(long seed) {
        this(seed, 0, 0, 0);
    }

    private RandomDraw(long seed, long shortest, long span, long mean) {
        this.random = new SplittableRandom(seed);
        this.shortest = shortest;
        this.span = span;
        this.mean = mean;
    }

    /** For times as well. */
    static RandomDraw of(TimeLaw processing, long seed) {
        return switch (processing) {
            case TimeLaw.Constant constant -> new RandomDraw(seed, constant.time().toNanos(), 0, 0);
            case TimeLaw.Uniform uniform -> new RandomDraw(seed, uniform.shortest().toNanos(),
                uniform.longest().toNanos() - uniform.shortest().toNanos(), 0);
            case TimeLaw.Exponential exponential -> new RandomDraw(seed, 0, 0, exponential.mean().toNanos());
        };
    }

    /** True in {@code share} of the cases, from 0 to 1. */
    boolean chance(double share) {
        return random.nextDouble() < share;
    }

    /** A number from 0 on, below 1. */
    double fraction() {
        return random.nextDouble();
    }

    /** The next time, in nanoseconds. */
    long next() {
        if (mean > 0) {
            // The inverse of the exponential distribution function; 1 - u is never 0.
            return (long) (-Math.log(1 - random.nextDouble()) * mean);
        }
        return span == 0 ? shortest : shortest + (long) (random.nextDouble() * span);
    }
}
