package io.brokermeter.engine.recording;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.Health;
import org.jspecify.annotations.Nullable;

/**
 * What a run came to. Totals include the warm-up; distributions do not.
 *
 * @param failures why the run failed; empty for a success
 * @param signal the signal that ended the run (2 for Ctrl-C, 15 for SIGTERM), 0 for none
 * @param drained whether draining was left to end by itself: what is missing after a run that was ended earlier may merely be late
 * @param start begin of the load
 * @param elapsed from the begin of the load to the end of the drain
 * @param sending from the begin of the load to its end
 * @param sent sends that returned
 * @param blocked messages that had to wait because max-pending was used up
 * @param completed sends that the broker confirmed
 * @param failed sends that failed
 * @param unconfirmed sends whose fate is unknown
 * @param received deliveries, of whatever message
 * @param ledger the ledger, or null when the run sent only, or sent bare messages
 * @param measured distributions without the warm-up
 * @param part the measured part by the clock
 * @param reconnects how often a client restored its connection
 * @param confirms whether the broker confirmed sends; without that, one that was written counts as completed
 * @param failureCauses why sends failed, with how often
 * @param rolledBack sends that were rolled back on purpose
 * @param requeued deliveries that were given back on purpose
 * @param rejected deliveries that were refused for good on purpose
 * @param unanswered requests that got no reply in time
 * @param receivingSeconds from the first delivery to the last, 0 when there were not two
 * @param groups what each group came to, producers first
 * @param phases what each phase came to; empty when none was asked for
 * @param broker what the broker used in the measured phase, or null when it was not watched
 * @param health the generator's own figures
 * @param thresholds what it came to beside each threshold, in their order
 * @param versions what took part: "producer client", "consumer client", "broker", "tool", "java" with their versions
 * @param scorecard how it got over a fault, or null where nothing happened, or nothing was followed
 * @param network what lay between clients and broker, or null for nothing
 * @param agents what each process came to where several ran it together; empty for a run in one
 */
public record RunResult(
        List<Finding.Failure> failures, int signal, boolean drained, Instant start, Duration elapsed, Duration sending, long sent,
        long blocked,
        long completed, long failed, long unconfirmed, long received, @Nullable LedgerReport ledger,
        Map<Metric, Distribution> measured, MeasuredPart part, long reconnects, boolean confirms, Map<String, Long> failureCauses,
        long rolledBack, long requeued, long rejected, long unanswered, double receivingSeconds, List<GroupResult> groups,
        List<PhaseResult> phases,
        @Nullable BrokerFigures broker, Health health, Map<String, String> versions, List<ThresholdResult> thresholds,
        @Nullable Scorecard scorecard, @Nullable NetworkFigures network, List<AgentResult> agents) {

    /** The exit code of a run that passed but for a threshold. */
    public static final int THRESHOLD_MISSED = 99;

    public RunResult {
        thresholds = List.copyOf(thresholds);
        agents = List.copyOf(agents);
    }

    /** What it is made of by name, nothing of each as long as it is not set. */
    public static final class Values {

        public List<Finding.Failure> failures = List.of();
        public int signal;
        public boolean drained = true;
        public Instant start = Instant.EPOCH;
        public Duration elapsed = Duration.ZERO;
        public Duration sending = Duration.ZERO;
        public long sent;
        public long blocked;
        public long completed;
        public long failed;
        public long unconfirmed;
        public long received;
        public @Nullable LedgerReport ledger;
        public Map<Metric, Distribution> measured = Map.of();
        public MeasuredPart part = MeasuredPart.NONE;
        public long reconnects;
        public boolean confirms;
        public Map<String, Long> failureCauses = Map.of();
        public long rolledBack;
        public long requeued;
        public long rejected;
        public long unanswered;
        public double receivingSeconds;
        public List<GroupResult> groups = List.of();
        public List<PhaseResult> phases = List.of();
        public @Nullable BrokerFigures broker;
        public Health health = Health.UNKNOWN;
        public Map<String, String> versions = Map.of();
        public List<ThresholdResult> thresholds = List.of();
        public @Nullable Scorecard scorecard;
        public @Nullable NetworkFigures network;
        public List<AgentResult> agents = List.of();

        private Values() {}

        private RunResult result() {
            return new RunResult(failures, signal, drained, start, elapsed, sending, sent, blocked, completed, failed, unconfirmed,
                received, ledger,
                measured, part, reconnects, confirms, failureCauses, rolledBack, requeued, rejected, unanswered, receivingSeconds, groups,
                phases, broker, health, versions, thresholds, scorecard, network, agents);
        }
    }

    /** The result of what {@code change} sets. */
    public static RunResult of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return its.result();
    }

    /** The same but for what {@code change} sets. */
    public RunResult but(Consumer<Values> change) {
        Values its = new Values();
        its.failures = failures;
        its.signal = signal;
        its.drained = drained;
        its.start = start;
        its.elapsed = elapsed;
        its.sending = sending;
        its.sent = sent;
        its.blocked = blocked;
        its.completed = completed;
        its.failed = failed;
        its.unconfirmed = unconfirmed;
        its.received = received;
        its.ledger = ledger;
        its.measured = measured;
        its.part = part;
        its.reconnects = reconnects;
        its.confirms = confirms;
        its.failureCauses = failureCauses;
        its.rolledBack = rolledBack;
        its.requeued = requeued;
        its.rejected = rejected;
        its.unanswered = unanswered;
        its.receivingSeconds = receivingSeconds;
        its.groups = groups;
        its.phases = phases;
        its.broker = broker;
        its.health = health;
        its.versions = versions;
        its.thresholds = thresholds;
        its.scorecard = scorecard;
        its.network = network;
        its.agents = agents;
        change.accept(its);
        return its.result();
    }

    /** The same with one more cause of failure. */
    public RunResult with(Finding.Failure cause) {
        List<Finding.Failure> more = new ArrayList<>(failures);
        more.add(cause);
        return but(its -> its.failures = more);
    }

    /** Whether it kept the limit of each threshold. */
    public boolean meetsThresholds() {
        return thresholds.stream().allMatch(ThresholdResult::passed);
    }

    /** Sends a second in the measured part; NaN when it had no length. */
    public double meanSent() {
        return part.seconds() > 0 ? part.sent() / part.seconds() : Double.NaN;
    }

    /** Deliveries a second in the measured part; NaN when it had no length. */
    public double meanReceived() {
        return part.receivingSeconds() > 0 ? part.received() / part.receivingSeconds() : Double.NaN;
    }

    /** Deliveries a second from the first to the last, the first left out as the begin of that time; NaN when there were not two. */
    public double receivedPerSecond() {
        return receivingSeconds > 0 ? (received - 1) / receivingSeconds : Double.NaN;
    }

    /** Whether nothing failed the run. */
    public boolean success() {
        return failures.isEmpty();
    }

    /**
     * {@code fail}, {@code threshold missed} for a success that did not keep the limit of a threshold, {@code rate missed} for one that did not
     * keep the rate it was asked for, {@code not drained} for one that was ended before it was known whether all arrives, or {@code success}.
     */
    public String outcome() {
        return !success() ? "fail" : !meetsThresholds() ? "threshold missed" : !health.schedule().kept() ? "rate missed"
            : drained ? "success" : "not drained";
    }

    /** Sends that the broker took, as a share of all whose fate is known; 1 when there were none. */
    public double successRatio() {
        return completed + failed == 0 ? 1 : (double) completed / (completed + failed);
    }

    /**
     * CPU time of the broker per message sent (received, for a run without producers) in the measured part, in
     * microseconds; NaN when it is not known. Its readings may cover a moment more or less than those of the generator, so both
     * are taken by the second.
     */
    public double brokerCpuMicrosPerMessage() {
        return broker == null || part.costMessages() == 0 ? Double.NaN
            : broker.cpuSeconds() / broker.seconds() * part.costSeconds() * 1e6 / part.costMessages();
    }

    /** 0 passed, 1 failed, 130 or 143 ended by a signal after a clean summary, 99 nothing of these but a threshold was missed. */
    public int exitCode() {
        if (!success()) {
            return 1;
        }
        return signal != 0 ? 128 + signal : meetsThresholds() ? 0 : THRESHOLD_MISSED;
    }
}
