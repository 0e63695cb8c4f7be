package io.brokermeter.analysis.statistics;

/**
 * A rate that was measured over a distance.
 *
 * @param roundTrip added round-trip time, in seconds; 0 for none
 * @param size size of a message body, in bytes, above 0
 * @param rate measured rate, in messages per second, above 0
 * @param most requested rate, in messages per second; infinite for the maximum rate
 * @param seconds duration of the measurement, in seconds, above 0
 * @param held longest time for which the machine stalled the generator, in seconds; 0 for none
 */
public record RateOverDistance(double roundTrip, double size, double rate, double most, double seconds, double held) {

    public RateOverDistance(double roundTrip, double size, double rate, double most, double seconds) {
        this(roundTrip, size, rate, most, seconds, 0);
    }

    /**
     * Creates a rate over a distance.
     *
     * @throws IllegalArgumentException for a value out of its range
     */
    public RateOverDistance {
        if (!(roundTrip >= 0 && size > 0 && rate > 0 && most > 0 && seconds > 0 && held >= 0
            && Double.isFinite(roundTrip + size + rate + seconds + held))) {
            throw new IllegalArgumentException("No rate over a distance: " + roundTrip + " s, " + size + " B, " + rate + "/s, most " + most
                + "/s, in " + seconds + " s");
        }
    }
}
