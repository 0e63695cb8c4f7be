package io.brokermeter.engine.recording;

import java.util.List;

import io.brokermeter.engine.finding.Finding;
import org.jspecify.annotations.Nullable;

/**
 * The result of one of several processes that ran a plan together.
 *
 * @param name name of the agent
 * @param producers number of producers that the agent had
 * @param consumers number of consumers that the agent had
 * @param counts what the agent counted, warm-up included; for a lost agent as far as it reported it, {@link Counts#UNKNOWN} if it reported
 *     nothing
 * @param sentPerSecond sends per second in the measured part; NaN if unknown
 * @param receivedPerSecond deliveries per second in the measured part; NaN if unknown
 * @param cpuSeconds CPU time of the agent's worker in the measured part; NaN if unknown
 * @param cpuPercent this CPU time as a percentage of one processor; NaN if unknown
 * @param machineBusyPercent busy share of all CPUs of the agent's machine; NaN if unknown
 * @param doubts reasons why the agent's figures may be those of the generator
 * @param clockOffsetMicros clock of the agent minus that of the coordinator at the end; 0 if both read the same clock, NaN if unknown
 * @param clockBoundMicros largest error of the agent's time in the run; 0 if both read the same clock, infinite if unknown
 * @param lateMicros how much later than the common start the agent's first sending thread began; NaN if unknown
 * @param lost how the agent was lost, as the end of a sentence; null if it was not
 */
public record AgentResult(
        String name, int producers, int consumers, Counts counts, double sentPerSecond, double receivedPerSecond,
        double cpuSeconds,
        double cpuPercent, double machineBusyPercent, List<Finding.Doubt> doubts, double clockOffsetMicros, double clockBoundMicros,
        double lateMicros, @Nullable String lost)
        implements
            HasCounts {

    public AgentResult {
        doubts = List.copyOf(doubts);
    }
}
