package io.brokermeter.engine.recording;

import java.util.Map;

/**
 * What a phase of a run came to: counts by the clock, and the times of the messages that were due in it.
 *
 * @param name its name
 * @param seconds its length, less than was asked for where the run ended early; 0 when it was not reached. The last phase lasts until
 *     what is late was sent
 * @param sent sends in it; of a process that was lost those of the intervals that began in it, {@link GroupResult#UNKNOWN} where it had reported none
 * @param received deliveries in it, of the last phase those of the drain, too; of a lost process likewise
 * @param receivingSeconds its length up to the last of these where that came after the end of sending
 * @param measured distributions of the messages that were due in it, without those of lost processes
 */
public record PhaseResult(
        String name, double seconds, long sent, long received, double receivingSeconds, Map<Metric, Distribution> measured) {

    /** One whose deliveries came in its time. */
    public PhaseResult(String name, double seconds, long sent, long received, Map<Metric, Distribution> measured) {
        this(name, seconds, sent, received, seconds, measured);
    }

    /** Sends a second; NaN when it was not reached, or they are not known. */
    public double sentPerSecond() {
        return seconds > 0 && sent != GroupResult.UNKNOWN ? sent / seconds : Double.NaN;
    }
}
