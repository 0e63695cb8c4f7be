package io.brokermeter.engine.recording;

import java.util.List;
import java.util.function.Consumer;

import io.brokermeter.engine.finding.Finding;
import org.jspecify.annotations.Nullable;

/**
 * What one of several processes came to that ran a plan together.
 *
 * @param name of the agent
 * @param producers how many it had
 * @param consumers how many it had
 * @param sent messages, warm-up included; of a lost one as far as it reported them, {@link GroupResult#UNKNOWN} where it reported nothing
 * @param received deliveries, likewise
 * @param sentPerSecond in the measured part; NaN when unknown
 * @param receivedPerSecond in the measured part; NaN when unknown
 * @param cpuSeconds CPU time of its worker in the measured part; NaN when unknown
 * @param cpuPercent the same as a share of one processor; NaN when unknown
 * @param machineBusyPercent busy share of all CPUs of its machine; NaN when unknown
 * @param doubts why its figures may be the generator's
 * @param clockOffsetMicros its clock minus the coordinator's at the end; 0 where it read the same, NaN when unknown
 * @param clockBoundMicros the most that its time was wrong in the run; 0 where it read the same, infinite when unknown
 * @param lateMicros how much later than the common start its first sending thread began; NaN when unknown
 * @param lost how it was lost, as the end of a sentence; null when it was not
 */
public record AgentResult(
        String name, int producers, int consumers, long sent, long received, double sentPerSecond, double receivedPerSecond,
        double cpuSeconds,
        double cpuPercent, double machineBusyPercent, List<Finding.Doubt> doubts, double clockOffsetMicros, double clockBoundMicros,
        double lateMicros, @Nullable String lost) {

    /** What it is made of by name. */
    public static final class Values {

        public String name = "";
        public int producers;
        public int consumers;
        public long sent;
        public long received;
        public double sentPerSecond;
        public double receivedPerSecond;
        public double cpuSeconds;
        public double cpuPercent;
        public double machineBusyPercent;
        public List<Finding.Doubt> doubts = List.of();
        public double clockOffsetMicros;
        public double clockBoundMicros;
        public double lateMicros;
        public @Nullable String lost;

        private Values() {}
    }

    /** Of what {@code change} sets. */
    public static AgentResult of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new AgentResult(its.name, its.producers, its.consumers, its.sent, its.received, its.sentPerSecond, its.receivedPerSecond,
            its.cpuSeconds, its.cpuPercent, its.machineBusyPercent, its.doubts, its.clockOffsetMicros, its.clockBoundMicros,
            its.lateMicros, its.lost);
    }

    public AgentResult {
        doubts = List.copyOf(doubts);
    }
}
