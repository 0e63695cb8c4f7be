package io.brokermeter.engine.run.send;

import java.util.SplittableRandom;

import io.brokermeter.engine.scenario.TimeLaw;

/** A source of the random decisions and times of a run, made from a seed. Used by one thread at a time; allocates nothing per draw. */
public final class RandomDraw {

    private final SplittableRandom random;
    private final long shortest;
    private final long span;
    private final long mean;

    /** Creates a source for {@link #chance} and {@link #fraction} only. */
    public RandomDraw(long seed) {
        this(seed, 0, 0, 0);
    }

    private RandomDraw(long seed, long shortest, long span, long mean) {
        this.random = new SplittableRandom(seed);
        this.shortest = shortest;
        this.span = span;
        this.mean = mean;
    }

    /** Creates a source that also draws times of a distribution by {@link #next}. */
    public static RandomDraw of(TimeLaw processing, long seed) {
        return switch (processing) {
            case TimeLaw.Constant constant -> new RandomDraw(seed, constant.time().toNanos(), 0, 0);
            case TimeLaw.Uniform uniform -> new RandomDraw(seed, uniform.shortest().toNanos(),
                uniform.longest().toNanos() - uniform.shortest().toNanos(), 0);
            case TimeLaw.Exponential exponential -> new RandomDraw(seed, 0, 0, exponential.mean().toNanos());
        };
    }

    /** Returns true with a probability of {@code share}, from 0 to 1. */
    boolean chance(double share) {
        return random.nextDouble() < share;
    }

    /** Returns a random number from 0, inclusive, to 1, exclusive. */
    public double fraction() {
        return random.nextDouble();
    }

    /** Returns the next random time, in nanoseconds. */
    public long next() {
        if (mean > 0) {
            // The inverse of the exponential distribution function; 1 - u is never 0.
            return (long) (-Math.log(1 - random.nextDouble()) * mean);
        }
        return span == 0 ? shortest : shortest + (long) (random.nextDouble() * span);
    }
}
