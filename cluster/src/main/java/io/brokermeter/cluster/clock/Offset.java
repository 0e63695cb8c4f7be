package io.brokermeter.cluster.clock;

/**
 * An estimate of the agent's clock at one moment. The true offset is within {@code offset} &plusmn; {@code bound} as long as the clocks run
 * as {@link OffsetBand} supposes.
 *
 * @param at the moment by the agent's {@link System#nanoTime()}
 * @param offset agent's clock minus coordinator's clock, nanoseconds
 * @param bound the greatest error of {@code offset}, nanoseconds
 * @param drift growth of the offset per second of the agent's clock, seconds: 1e-6 is 1 ppm
 * @param driftBound the greatest error of {@code drift} while the clocks run straight
 */
public record Offset(long at, long offset, long bound, double drift, double driftBound) {

    /** Returns the coordinator's clock at that moment, nanoseconds of its {@link System#nanoTime()}. */
    public long coordinator() {
        return at - offset;
    }
}
