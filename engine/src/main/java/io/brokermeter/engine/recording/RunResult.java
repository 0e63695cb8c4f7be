package io.brokermeter.engine.recording;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.recording.confidence.Confidences;
import io.brokermeter.engine.recording.fault.Scorecard;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import org.jspecify.annotations.Nullable;

/**
 * The result of a run. Totals include the warm-up; distributions do not.
 *
 * @param failures why the run failed; empty for a success
 * @param signal the signal that ended the run (2 for Ctrl-C, 15 for SIGTERM), 0 for none
 * @param drained whether draining ended by itself; if the run was ended earlier, missing messages may merely be late
 * @param start start of the load
 * @param elapsed time from the start of the load to the end of the drain
 * @param sending time from the start of the load to its end
 * @param counts what was counted from the start to the end, except by the ledger
 * @param ledger report of the ledger, or null if the run only sent, or sent bare messages
 * @param measured distributions without the warm-up
 * @param part the measured part by the clock
 * @param confirms whether the broker confirmed sends; if not, a send counts as completed when it was written
 * @param failureCauses number of failed sends by cause
 * @param receivingSeconds from the first delivery to the last, 0 if there were not two
 * @param groups results of the groups, producers first
 * @param phases results of the phases; empty if the scenario has none
 * @param broker figures of the broker in the measured part, or null if it was not watched
 * @param health the generator's own figures
 * @param thresholds results of the thresholds, in their order
 * @param versions versions of the participants: "producer client", "consumer client", "broker", "tool", "java"
 * @param scorecard how the run recovered from a fault, or null if nothing happened, or nothing was recorded
 * @param network the network between clients and broker, or null for none
 * @param agents results of the processes, if several ran the plan together; empty for a run in one
 * @param warmUp how a warm-up ended that lasted until the run had settled; null for one of a fixed length
 * @param connects how long connections took that were made at a rate; null without one
 * @param confidences how sure the percentiles and rates are
 */
public record RunResult(
        List<Finding.Failure> failures, int signal, boolean drained, Instant start, Duration elapsed, Duration sending, Counts counts,
        @Nullable LedgerReport ledger,
        Map<Metric, Distribution> measured, MeasuredPart part, boolean confirms, Map<String, Long> failureCauses,
        double receivingSeconds, List<GroupResult> groups,
        List<PhaseResult> phases,
        @Nullable BrokerFigures broker, Health health, Map<String, String> versions, List<ThresholdResult> thresholds,
        @Nullable Scorecard scorecard, @Nullable NetworkFigures network, List<AgentResult> agents, @Nullable WarmUp warmUp,
        @Nullable ConnectTimes connects, Confidences confidences)
        implements
            HasCounts {

    /** The exit code of a run that succeeded but missed a threshold. */
    public static final int THRESHOLD_MISSED = 99;
    /** The exit code of a run that measured the generator and not the broker, where that is asked. */
    public static final int INVALID = 3;

    public RunResult {
        thresholds = List.copyOf(thresholds);
        agents = List.copyOf(agents);
    }

    /** Mutable components of a {@link RunResult}, empty by default. */
    public static final class Values extends HasCounts.Values {

        public List<Finding.Failure> failures = List.of();
        public int signal;
        public boolean drained = true;
        public Instant start = Instant.EPOCH;
        public Duration elapsed = Duration.ZERO;
        public Duration sending = Duration.ZERO;
        public @Nullable LedgerReport ledger;
        public Map<Metric, Distribution> measured = Map.of();
        public MeasuredPart part = MeasuredPart.NONE;
        public boolean confirms;
        public Map<String, Long> failureCauses = Map.of();
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
        public @Nullable WarmUp warmUp;
        public @Nullable ConnectTimes connects;
        public Confidences confidences = Confidences.NONE;

        private Values() {}

        private RunResult result() {
            return new RunResult(failures, signal, drained, start, elapsed, sending, counts, ledger, measured, part,
                confirms, failureCauses, receivingSeconds, groups, phases, broker, health, versions, thresholds, scorecard, network,
                agents, warmUp, connects, confidences);
        }
    }

    /** Creates a result from the components that {@code change} sets. */
    public static RunResult of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return its.result();
    }

    /** Returns a copy of this result in which {@code change} sets some components. */
    public RunResult with(Consumer<Values> change) {
        Values its = new Values();
        its.failures = failures;
        its.signal = signal;
        its.drained = drained;
        its.start = start;
        its.elapsed = elapsed;
        its.sending = sending;
        its.counts = counts;
        its.ledger = ledger;
        its.measured = measured;
        its.part = part;
        its.confirms = confirms;
        its.failureCauses = failureCauses;
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
        its.warmUp = warmUp;
        its.connects = connects;
        its.confidences = confidences;
        change.accept(its);
        return its.result();
    }

    /** Returns a copy of this result with one more cause of failure. */
    public RunResult with(Finding.Failure cause) {
        List<Finding.Failure> more = new ArrayList<>(failures);
        more.add(cause);
        return with(its -> its.failures = more);
    }

    /** Returns whether the run missed no limit of a threshold that it could judge. */
    public boolean meetsThresholds() {
        return thresholds.stream().allMatch(one -> one.passed() || !one.judged());
    }

    /** Returns what the generator's own stalls did to the times. */
    public Floors floors() {
        return new Floors(health.stalls(), health.schedule().due() > 0);
    }

    /**
     * Returns whether the figures of the run say nothing about the broker, since the generator was measured, or its own stalls decide a
     * threshold. Such a run cannot pass, but a threshold that it could judge nevertheless, it can miss. A run with another cause of failure than that something was too slow has failed.
     */
    public boolean isInvalid() {
        return failures.stream().allMatch(cause -> cause instanceof Finding.RateMissed || cause instanceof Finding.NotSteady)
            && (health.verdict().isInvalid() || thresholds.stream().anyMatch(one -> !one.judged()));
    }

    /** Returns the sends per second in the measured part; NaN if the part had no length. */
    public double meanSent() {
        return part.mean(Count.SENT);
    }

    /** Returns the deliveries per second in the measured part; NaN if the part had no length. */
    public double meanReceived() {
        return part.mean(Count.RECEIVED);
    }

    /** Returns the deliveries per second from the first one, which is not counted, to the last; NaN if there were not two. */
    public double receivedPerSecond() {
        return receivingSeconds > 0 ? (received() - 1) / receivingSeconds : Double.NaN;
    }

    /** Returns whether the run has no cause of failure. */
    public boolean success() {
        return failures.isEmpty();
    }

    /** Returns how the run came out. */
    public RunOutcome outcome() {
        return !success() ? RunOutcome.FAIL
            : !meetsThresholds() ? RunOutcome.THRESHOLD_MISSED : isInvalid() ? RunOutcome.INVALID
                : !health.schedule().kept() ? RunOutcome.RATE_MISSED : drained ? RunOutcome.SUCCESS : RunOutcome.NOT_DRAINED;
    }

    /** Returns the sends that the broker accepted, as a share of all sends whose fate is known; 1 if there were none. */
    public double successRatio() {
        long known = completed() + failed();
        return known == 0 ? 1 : (double) completed() / known;
    }

    /**
     * Returns the CPU time of the broker per message sent (received, for a run without producers) in the measured part, in
     * microseconds; NaN if unknown. The readings of the broker may cover a moment more or less than those of the generator, so
     * both are taken per second.
     */
    public double brokerCpuMicrosPerMessage() {
        return broker == null || part.costMessages() == 0 ? Double.NaN
            : broker.cpuSeconds() / broker.seconds() * part.costSeconds() * 1e6 / part.costMessages();
    }

    /** Returns {@link #exitCode(boolean)} for commands that replace those of Artemis, where the verdict alone does not fail a run. */
    public int exitCode() {
        return exitCode(false);
    }

    /**
     * Returns the exit code: 0 if the run passed, 1 if it failed, 130 or 143 if a signal ended it after a clean summary, 99 if none of these
     * applies but it missed a threshold that it could judge, else 3 if it is invalid.
     *
     * @param verdictFails whether an invalid run has a code of its own although it has no thresholds; otherwise it passes or fails like any
     *     other
     */
    public int exitCode(boolean verdictFails) {
        boolean invalid = (verdictFails || !thresholds.isEmpty()) && isInvalid();
        if (!success() && !invalid) {
            return 1;
        }
        return success() && signal != 0 ? 128 + signal : !meetsThresholds() ? THRESHOLD_MISSED : invalid ? INVALID : 0;
    }
}
