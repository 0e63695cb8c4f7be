package io.brokermeter.engine.recording;

import java.util.Map;

import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;

/**
 * The result of a phase of a run: counts by the clock, and the times of the messages that were due in the phase.
 *
 * @param name name of the phase
 * @param seconds length of the phase, less than requested if the run ended early; 0 if the phase was not reached. The last phase lasts
 *     until late messages were sent
 * @param counts what was counted in the phase, for the last phase with the deliveries of the drain; for a lost process in the intervals
 *     that began in the phase, {@link Counts#UNKNOWN} if it had reported none
 * @param receivingSeconds length of the phase up to the last of these deliveries if that came after the end of sending
 * @param measured distributions of the messages that were due in the phase, without those of lost processes
 */
public record PhaseResult(
        String name, double seconds, Counts counts, double receivingSeconds, Map<Metric, Distribution> measured)
        implements
            HasCounts {

    /** Returns the mean rate of a count, per second; NaN if the phase was not reached, or the count is unknown. */
    public double mean(Count count) {
        double length = count.isOfReceivers() ? receivingSeconds : seconds;
        return seconds > 0 && count(count) != Counts.UNKNOWN ? count(count) / length : Double.NaN;
    }

    /** Returns the sends per second; NaN if the phase was not reached, or the number of sends is unknown. */
    public double sentPerSecond() {
        return mean(Count.SENT);
    }
}
