package io.brokermeter.cluster.clock;

/**
 * What is known of the agent's clock at one moment. The truth is within {@code offset} &plusmn; {@code bound} as long as the clocks
 * run as {@link OffsetBand} supposes.
 *
 * @param at the moment by the agent's {@link System#nanoTime()}
 * @param offset agent's clock minus coordinator's clock, nanoseconds
 * @param bound the most that {@code offset} can be wrong, nanoseconds
 * @param drift how much the offset grows in a second of the agent's clock, seconds: 1e-6 is 1 ppm
 * @param driftBound the most that {@code drift} can be wrong while the clocks run straight
 */
public record Offset(long at, long offset, long bound, double drift, double driftBound) {

    /** The coordinator's clock at that moment, nanoseconds of its {@link System#nanoTime()}. */
    public long coordinator() {
        return at - offset;
    }
}
