package io.brokermeter.engine.recording;

import java.util.Map;

/**
 * The result of a phase of a run: counts by the clock, and the times of the messages that were due in the phase.
 *
 * @param name name of the phase
 * @param seconds length of the phase, less than requested if the run ended early; 0 if the phase was not reached. The last phase lasts
 *     until late messages were sent
 * @param sent number of sends in the phase; for a lost process those of the intervals that began in the phase,
 *     {@link GroupResult#UNKNOWN} if it had reported none
 * @param received number of deliveries in the phase, for the last phase also those of the drain; for a lost process likewise
 * @param receivingSeconds length of the phase up to the last of these deliveries if that came after the end of sending
 * @param measured distributions of the messages that were due in the phase, without those of lost processes
 */
public record PhaseResult(
        String name, double seconds, long sent, long received, double receivingSeconds, Map<Metric, Distribution> measured) {

    /** Creates the result of a phase whose deliveries arrived within its time. */
    public PhaseResult(String name, double seconds, long sent, long received, Map<Metric, Distribution> measured) {
        this(name, seconds, sent, received, seconds, measured);
    }

    /** Returns the sends per second; NaN if the phase was not reached, or the number of sends is unknown. */
    public double sentPerSecond() {
        return seconds > 0 && sent != GroupResult.UNKNOWN ? sent / seconds : Double.NaN;
    }
}
