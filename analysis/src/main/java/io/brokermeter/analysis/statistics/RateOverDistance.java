package io.brokermeter.analysis.statistics;

/**
 * A rate that was measured over a distance.
 *
 * @param roundTrip the round trip that was added, in seconds; 0 for none
 * @param size of a message's body in bytes, above 0
 * @param rate messages a second, above 0
 * @param most the messages a second that were asked for; infinite for as many as possible
 * @param seconds for how long it was measured, above 0
 * @param held the longest time for which the machine held up the generator, in seconds; 0 where it did not
 */
public record RateOverDistance(double roundTrip, double size, double rate, double most, double seconds, double held) {

    public RateOverDistance(double roundTrip, double size, double rate, double most, double seconds) {
        this(roundTrip, size, rate, most, seconds, 0);
    }

    /** @throws IllegalArgumentException for a value out of its range */
    public RateOverDistance {
        if (!(roundTrip >= 0 && size > 0 && rate > 0 && most > 0 && seconds > 0 && held >= 0
            && Double.isFinite(roundTrip + size + rate + seconds + held))) {
            throw new IllegalArgumentException("No rate over a distance: " + roundTrip + " s, " + size + " B, " + rate + "/s, most " + most
                + "/s, in " + seconds + " s");
        }
    }
}
