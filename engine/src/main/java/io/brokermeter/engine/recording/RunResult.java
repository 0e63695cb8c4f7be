package io.brokermeter.engine.recording;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.health.Health;
import org.jspecify.annotations.Nullable;

/**
 * What a run came to. Totals include the warm-up; distributions do not.
 *
 * @param causes why the run failed, one sentence each; empty for a success
 * @param signal the signal that ended the run (2 for Ctrl-C, 15 for SIGTERM), 0 for none
 * @param start begin of the load
 * @param elapsed from the begin of the load to the end of the drain
 * @param sending from the begin of the load to the last send
 * @param sent sends that returned
 * @param blocked messages that had to wait because max-pending was used up
 * @param completed sends that the broker confirmed
 * @param failed sends that failed
 * @param unconfirmed sends whose fate is unknown
 * @param received deliveries, of whatever message
 * @param ledger the ledger, or null when the run sent only, or sent bare messages
 * @param measured distributions without the warm-up
 * @param measuredSeconds length of the measured phase
 * @param measuredSent messages intended in the measured phase and sent
 * @param measuredReceived deliveries of messages intended in the measured phase
 * @param reconnects how often a client restored its connection
 * @param confirms whether the broker confirmed sends; without that, one that was written counts as completed
 * @param health the generator's own figures
 * @param versions what took part: "producer client", "consumer client", "broker", "tool", "java" with their versions
 */
public record RunResult(
        List<String> causes, int signal, Instant start, Duration elapsed, Duration sending, long sent, long blocked,
        long completed, long failed, long unconfirmed, long received, @Nullable LedgerReport ledger,
        Map<Metric, Distribution> measured, double measuredSeconds, long measuredSent, long measuredReceived,
        long reconnects, boolean confirms, Health health, Map<String, String> versions) {

    public boolean success() {
        return causes.isEmpty();
    }

    /** 0 passed, 1 failed, 130 or 143 ended by a signal after a clean summary. */
    public int exitCode() {
        if (!success()) {
            return 1;
        }
        return signal == 0 ? 0 : 128 + signal;
    }
}
