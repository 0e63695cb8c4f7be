package io.brokermeter.engine.scenario;

/**
 * Derives seeds from the seed of a run. A generator adds a constant to its state with each draw, so of two seeds that differ by
 * that constant, one yields the sequence of the other, shifted by one draw. The derived seeds do not differ in such a way.
 */
public final class Seeds {

    private Seeds() {}

    /** Returns the seed of one of many sequences; neighbouring numbers and neighbouring seeds yield unrelated sequences. */
    public static long of(long seed, long number) {
        return mixed(mixed(seed) + number);
    }

    /** Mixes a value by the finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): neighbouring values yield unrelated numbers. */
    public static long mixed(long value) {
        long z = value * 0x9E3779B97F4A7C15L;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
