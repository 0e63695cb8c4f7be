package io.brokermeter.analysis.window;

/**
 * What a trial over a distance is.
 *
 * @param roundTrip the round trip that is added, in seconds
 * @param size of a message's body in bytes
 * @param most the messages a second that are asked for
 * @param warmup how long it is warmed up, in seconds
 * @param seconds for how long it measures
 */
public record DistantTrial(double roundTrip, double size, double most, double warmup, double seconds) {

    /**
     * The same trial with what it was really asked for, where a user set less than what it asks for by itself.
     *
     * @param perSecond messages a second; NaN for as many as go
     */
    public DistantTrial asked(double perSecond) {
        return perSecond > 0 && perSecond < most ? new DistantTrial(roundTrip, size, perSecond, warmup, seconds) : this;
    }

    /** Whether this is of the same distance and size as another. */
    public boolean isAt(DistantTrial other) {
        return roundTrip == other.roundTrip && size == other.size;
    }
}
