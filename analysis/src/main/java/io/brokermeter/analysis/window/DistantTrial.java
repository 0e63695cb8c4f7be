package io.brokermeter.analysis.window;

/**
 * The settings of a trial over a distance.
 *
 * @param roundTrip added round-trip time, in seconds
 * @param size size of a message body, in bytes
 * @param most requested rate, in messages per second
 * @param warmup duration of the warm-up, in seconds
 * @param seconds duration of the measurement, in seconds
 */
public record DistantTrial(double roundTrip, double size, double most, double warmup, double seconds) {

    /**
     * Returns this trial with the rate that was requested in fact, where a user set a lower one than the trial has by itself.
     *
     * @param perSecond messages per second; NaN for the maximum rate
     */
    public DistantTrial asked(double perSecond) {
        return perSecond > 0 && perSecond < most ? new DistantTrial(roundTrip, size, perSecond, warmup, seconds) : this;
    }

    /** Returns whether this trial has the same distance and size as another. */
    public boolean isAt(DistantTrial other) {
        return roundTrip == other.roundTrip && size == other.size;
    }
}
