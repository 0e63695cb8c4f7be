package io.brokermeter.engine.finding;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.measure.Quantity;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * A fact that a run reports about itself: a cause of its failure, a doubt about its figures, or a notice for the user. The hierarchy
 * is sealed, and the components of each type are its data; the reports make sentences of them. Times are in the units of their
 * names, shares range from 0 to 1.
 */
public sealed interface Finding extends Culprits {

    /** A cause for which a run failed, or would have failed if the scenario did not permit it. */
    sealed interface Failure extends Finding {}

    /** An occurrence in a run that does not fail it. */
    sealed interface Notice extends Finding {}

    /** A reason why the figures of a run may be those of the generator and not of the broker. */
    sealed interface Doubt extends Finding {

        /** Returns the cause of what was seen; null if the doubt has none, or another doubt contains it. */
        default @Nullable Reason reason() {
            return null;
        }

        /** Returns who used the processors; null if that is not part of the doubt. */
        default @Nullable CpuUse cpuUse() {
            Reason reason = reason();
            return reason == null ? null : reason.cpuUse();
        }

        /** Returns whether the generator and not the broker is known to have been measured, so that nothing can be judged by the figures. */
        default boolean invalidates() {
            return false;
        }
    }

    /** Returns the name of the type in files, for example {@code sends-failed}. */
    default String kind() {
        return kind(getClass());
    }

    /** Returns the name of a type in files. */
    static String kind(Class<? extends Finding> type) {
        return type.getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
    }

    // ---- failures ----

    /**
     * A step of the run failed.
     *
     * @param subject the object of the step, where the step does not imply it; otherwise empty
     * @param cause the cause in the words of the client, the broker or the machine
     */
    record Broken(Step step, String subject, String cause) implements Failure {}

    /** The steps of a run that can fail. */
    enum Step {
        CONNECT, DECLARE, OPEN_PRODUCER, OPEN_CONSUMER, LEAVE_SUBSCRIPTION, CONNECTION, SENDING_THREAD, CONSUMER, SEND_REPLY, CONFIRM_REPLY,
        WRITE_REPORT, FINISH_REPORT, CLOSE_PRODUCER, CLOSE_CONSUMER, CLOSE_REPLYING_PRODUCER, CLOSE_REPLYING_CONNECTION,
        CLOSE_PRODUCING_CONNECTION, CLOSE_CONSUMING_CONNECTION, REMOVE_SUBSCRIPTION, REMOVE_DESTINATION
    }

    /** The run was stopped before all of its connections were made. */
    record StoppedConnecting() implements Failure {}

    /**
     * The run was ended because no send returned and no confirmation arrived for this time.
     *
     * @param unconfirmed number of unconfirmed sends; 0 if a send does not return
     * @param reason reason that the client gives; empty if it knows none
     */
    record Stuck(long seconds, long unconfirmed, String url, String reason) implements Failure {}

    /**
     * A send did not return within this time.
     *
     * @param reason reason that the client gives; empty if it knows none
     */
    record SendNotReturned(long seconds, String reason) implements Failure {}

    /** The connections did not close within this time. */
    record NotClosed(long seconds) implements Failure {}

    /**
     * A process that ran a part of the run is gone, or stopped reporting.
     *
     * @param agent name of the agent
     * @param how how the agent was lost, as the end of a sentence: {@code was killed}
     */
    record AgentLost(String agent, String how) implements Failure {}

    /**
     * A process did not begin with its part of the run.
     *
     * @param agent name of the agent
     * @param cause the cause, one sentence
     */
    record AgentFailed(String agent, String cause) implements Failure {}

    /**
     * Sends that failed.
     *
     * @param byCause number of failed sends by cause
     */
    record SendsFailed(long count, Map<String, Long> byCause) implements Failure {
        public SendsFailed {
            byCause = Collections.unmodifiableMap(new LinkedHashMap<>(byCause));
        }
    }

    /**
     * Sends whose fate is unknown.
     *
     * @param delivered how many of them were delivered all the same
     * @param byCause number of these sends by cause, for example the loss of their connection; those without a known cause are
     *     left out
     */
    record Unconfirmed(long count, long delivered, Map<String, Long> byCause) implements Failure {
        public Unconfirmed {
            byCause = Collections.unmodifiableMap(new LinkedHashMap<>(byCause));
        }

        /** Creates a finding about sends for which no cause is known. */
        public Unconfirmed(long count, long delivered) {
            this(count, delivered, Map.of());
        }
    }

    /** Requests that got no reply in time. */
    record Unanswered(long count) implements Failure {}

    /** Messages that were delivered although they had been rolled back. */
    record RolledBackDelivered(long count) implements Failure {}

    /** Confirmations of messages that were not in flight. */
    record StrayConfirmations(long count) implements Failure {}

    /**
     * Consumers that were to take a number of messages got fewer.
     *
     * @param group name of the group; empty if it is the only one
     * @param within time that the consumers had; null for no limit
     */
    record TooFewTaken(String group, long taken, long asked, @Nullable Duration within) implements Failure {}

    /** Messages that were delivered although their sending had failed. */
    record FailedDelivered(long count) implements Failure {}

    /** Messages that were delivered although they do not meet the selector. */
    record Unselected(long count) implements Failure {}

    /** Messages that arrived with a changed body. */
    record Corrupt(long count) implements Failure {}

    /** Messages that were not delivered and that the broker does not hold. */
    record Lost(long count, boolean confirmed, Duration drainTimeout, Drops drops) implements Failure {

        /** Creates a finding about a run whose settings let no broker drop messages. */
        public Lost(long count, boolean confirmed, Duration drainTimeout) {
            this(count, confirmed, drainTimeout, Drops.NONE);
        }
    }

    /** Messages that wait in the broker. */
    record Left(long count, Duration drainTimeout) implements Failure {}

    /**
     * Messages that were not delivered, where it is unknown whether the broker holds them.
     *
     * @param stillArriving whether deliveries arrived up to the end
     */
    record Undelivered(long count, boolean confirmed, Duration drainTimeout, boolean stillArriving, Drops drops) implements Failure {

        /** Creates a finding about a run whose settings let no broker drop messages. */
        public Undelivered(long count, boolean confirmed, Duration drainTimeout, boolean stillArriving) {
            this(count, confirmed, drainTimeout, stillArriving, Drops.NONE);
        }
    }

    /** The counts of the ledger do not add up. */
    record LedgerOpen(long expected, long received, long duplicates, long lost, long left) implements Failure {}

    /**
     * Less than half of the messages that were due were sent in time.
     *
     * @param share share of the messages that were sent in time
     * @param reachedPerSecond rate of the sends; NaN if only some of them had a schedule
     */
    record RateMissed(double share, double reachedPerSecond, double askedPerSecond) implements Failure {}

    /**
     * Consumers waited at a destination that no producer of the run sends to, and nothing came.
     *
     * @param destination one such destination
     * @param others number of further ones
     * @param unread a destination that the run sent to and that has no consumer; empty for none
     */
    record NobodySends(String destination, int others, String unread) implements Failure {}

    /**
     * What waited grew as long as messages were sent, so that all times depend on the length of the run.
     *
     * @param sentPerSecond rate of the sends in the measured part
     * @param grownPerSecond rate at which sends without a confirmation, or deliveries that are due, grew
     */
    record NotSteady(Behind behind, double sentPerSecond, double grownPerSecond) implements Failure {}

    /**
     * A fault of the scenario was not made, or not undone.
     *
     * @param number number of the fault in the scenario, from 1
     * @param target target of the fault, as {@link Fault#target}
     */
    record FaultFailed(int number, Fault.Action action, String target, FaultStep step, String cause) implements Failure, OfFault {}

    /** A finding about a fault of the scenario. */
    interface OfFault {

        /** Returns the number of the fault in the scenario, from 1. */
        int number();

        Fault.Action action();

        /** Returns the target of the fault, as {@link Fault#target}. */
        String target();
    }

    /** The two halves of a fault. */
    enum FaultStep {
        BEGAN, ENDED
    }

    // ---- notices ----

    /** A sentence that a driver, or the watch of the broker, reported. */
    record Said(String text) implements Notice {}

    /**
     * An occurrence in a process that runs a part of the run.
     *
     * @param agent name of the agent
     */
    record OfAgent(String agent, Finding what) implements Notice {

        @Override
        public String kind() {
            return what.kind();
        }
    }

    /** Messages that were stamped by the clock of another machine, or before the wall clock was set. */
    record OtherClock(long count) implements Notice {}

    /** Messages whose order was not checked, since there are too many pairs of a producer and a consumer for the memory. */
    record OrderNotFollowed(long count) implements Notice {}

    /** Messages that were sent so late that the delay does not fit into the envelope. */
    record SendTimeUnknown(long count) implements Notice {}

    /** Transfer times that were below zero and are left out, since the sender's clock is ahead of the receiver's. */
    record TransfersBelowZero(long count) implements Notice {}

    /** The largest error of times that were measured from the clock of one agent to that of another. */
    record OneWayBound(double micros) implements Notice {}

    /** Times from one agent to another are left out, since their clocks may differ by more than a tenth of the median of these times. */
    record OneWayLeftOut(double micros, double medianMicros) implements Notice {}

    /**
     * A run of several processes has no scorecard, since it is unknown how the run recovered from a fault.
     *
     * @param lost number of lost processes, whose part in the recovery is unknown
     * @param apartMicros largest possible difference between the clocks of the other processes
     */
    record ScorecardLeftOut(int lost, double apartMicros) implements Notice {}

    /** Messages that were sent before the subscription to their destination began, so that they were not due. */
    record BeforeSubscription(long count) implements Notice {}

    /**
     * Deliveries of messages that the run sent to other destinations than that of the subscription.
     *
     * @param sentTo destination that some of these messages were sent to
     * @param cameTo destination of the subscription that received them
     */
    record FromOtherDestinations(long count, String sentTo, String cameTo) implements Notice {}

    /**
     * Messages that were sent to destinations without a consumer in a run that has consumers, so that nobody knows what became of them.
     *
     * @param destination one such destination
     * @param others number of further ones
     */
    record NobodyReceives(long count, String destination, int others) implements Notice {}

    /**
     * Duplicates of messages that consumers acknowledge in batches, which a broker delivers again if it waits too long for that.
     *
     * @param batch size of the largest batch
     * @param fillSeconds time in which it filled
     */
    record BatchRedelivered(long duplicates, int batch, double fillSeconds) implements Notice {}

    /** Gaps between the first and the last message of a producer, in a run that only receives. */
    record Gaps(long count) implements Notice {}

    /** Sends without a confirmation in a run that was ended before draining was over. */
    record EndedUnconfirmed(long count) implements Notice {}

    /** Messages that were not delivered in a run that was ended before draining was over. */
    record EndedUndelivered(long count, boolean confirmed) implements Notice {}

    /**
     * A failure that the scenario permits.
     *
     * @param by the setting that permits it, null where the kind of load does
     */
    record Permitted(Failure failure, @Nullable Setting by) implements Notice {}

    /** A phase of the scenario begins. */
    record PhaseBegins(String name) implements Notice {}

    /** The producers have ended, and consumers start after them, at once or when their start delay is over. */
    record ConsumersStart() implements Notice {}

    /**
     * The number of messages that wait in the broker is unknown.
     *
     * @param destination destination that could not be queried; empty if none was queried yet
     */
    record DepthUnknown(String destination, String cause) implements Notice {}

    /**
     * Threads of this machine woke late far more often than in its last self-test, and neither the run nor its broker used much of it.
     *
     * @param perSecond how often a thread that naps woke more than 1 ms late, a second
     * @param othersPercent what other programs used of the processors
     * @param thenOthersPercent the same in the self-test; negative if unknown
     * @param then date of the self-test, as {@code 2026-01-02}
     */
    record WakesLater(double perSecond, double thenPerSecond, double othersPercent, double thenOthersPercent,
            String then) implements Notice {}

    /** A reading of the clock of this machine takes far longer than in its last self-test. */
    record ClockSlower(double readingNanos, double thenNanos, String then) implements Notice {}

    /** The kernel did not give sending threads real-time scheduling. */
    record RealtimeRefused(String cause) implements Notice {}

    /** A connection was interrupted, and the client is restoring it. */
    record Reconnecting(String cause) implements Notice {}

    /** A client has restored its connection. */
    record Reconnected() implements Notice {}

    /**
     * A connection was lost, and the run makes another in its place.
     *
     * @param connection group of the connection, and its number in the group
     */
    record ConnectionLost(String connection, String cause) implements Notice {}

    /** An attempt to restore a lost connection failed; attempts count from 1. */
    record ReconnectFailed(String connection, int attempt, String cause) implements Notice {}

    /**
     * A connection was made in place of a lost one, with everything that was open on the lost one.
     *
     * @param attempt number of the attempt that succeeded
     * @param afterMillis time since the loss was noticed
     * @param unknown number of sends whose fate the loss left unknown
     */
    record ConnectionRestored(String connection, int attempt, long afterMillis, long unknown) implements Notice {}

    /** The run ended before a lost connection was restored. */
    record NotRestored(String connection, int attempts, String cause) implements Failure {}

    /**
     * No send returned and no confirmation arrived for this time.
     *
     * @param reason reason that the client gives; empty if it knows none
     */
    record SendsStalled(long seconds, long unconfirmed, String url, String reason, boolean reconnecting) implements Notice {}

    /**
     * No delivery arrived for this time.
     *
     * @param missing number of confirmed messages that are due; -1 in a run that only receives
     */
    record DeliveriesStalled(long seconds, long missing, String url) implements Notice {}

    /**
     * A threshold that may end the run was not kept and ended it.
     *
     * @param threshold threshold as it was written
     * @param value value of the figure
     */
    record ThresholdMissed(String threshold, double value, Quantity.Unit unit) implements Notice {}

    /** A threshold that may end the run never could, since the clocks of agents were not known well enough for its times. */
    record ThresholdUnwatched(String threshold) implements Notice {}

    /**
     * A fault of the scenario took effect, or was undone.
     *
     * @param number number of the fault in the scenario, from 1
     * @param target target of the fault, as {@link Fault#target}
     * @param askedSeconds time at which this was planned, since the start of the load; NaN if none was, as for the end of a command
     * @param effectiveSeconds time at which this happened
     * @param detail object that was affected; may be empty
     * @param exitStatus exit status of a command that has ended
     */
    record FaultDone(int number, Fault.Action action, String target, FaultStep step, double askedSeconds, double effectiveSeconds,
            String detail, @Nullable Integer exitStatus) implements Notice, OfFault {

        /** Mutable components of a {@link FaultDone}. */
        @SuppressWarnings("NullAway.Init") // components without a default are checked when the record is created
        public static final class Values {

            public int number;
            public Fault.Action action;
            public String target;
            public FaultStep step;
            public double askedSeconds = Double.NaN;
            public double effectiveSeconds;
            public String detail = "";
            public @Nullable Integer exitStatus;

            private Values() {}
        }

        /** Creates an instance from the components that {@code change} sets. */
        public static FaultDone of(Consumer<Values> change) {
            Values its = new Values();
            change.accept(its);
            return new FaultDone(its.number, Objects.requireNonNull(its.action, "action"), Objects.requireNonNull(its.target, "target"),
                Objects.requireNonNull(its.step, "step"), its.askedSeconds, its.effectiveSeconds, its.detail, its.exitStatus);
        }
    }

    /** The load was over before a fault of the scenario was due. */
    record FaultNotDue(int number, Fault.Action action, String target, double askedSeconds) implements Notice, OfFault {}

    /** The load was over before a process that a fault had ended was to be started again. */
    record FaultNotUndone(int number, Fault.Action action, String target, double askedSeconds) implements Notice, OfFault {}

    // ---- doubts ----

    /**
     * A doubt about one of several processes that run parts of the run. Its figures are those of that process.
     *
     * @param agent name of the agent
     */
    record DoubtOfAgent(String agent, Doubt what) implements Doubt {

        @Override
        public String kind() {
            return what.kind();
        }

        @Override
        public @Nullable Reason reason() {
            return what.reason();
        }

        @Override
        public @Nullable CpuUse cpuUse() {
            return what.cpuUse();
        }

        @Override
        public boolean invalidates() {
            return what.invalidates();
        }
    }

    /**
     * Messages that were due were not sent in time.
     *
     * @param share share of the scheduled messages that were sent in time
     * @param reachedPerSecond rate of the sends; NaN if only some of them had a schedule
     */
    record NotSentInTime(double share, double reachedPerSecond, double askedPerSecond, Reason reason) implements Doubt {

        /** The share of messages sent in time from which on the rate is close to the one that was asked, whoever missed it. */
        private static final double CLOSE = 0.99;

        @Override
        public boolean invalidates() {
            return share < CLOSE && reason.blame().invalidates();
        }
    }

    /**
     * Half of the messages were sent so late that response times consist mostly of that delay.
     *
     * @param responded whether there were response times; send ack times do not contain the delay
     * @param reason null if another finding contains the reason
     */
    record MostlyDelay(double medianDelayMillis, boolean responded, @Nullable Reason reason) implements Doubt {

        @Override
        public boolean invalidates() {
            return reason != null && reason.blame().invalidates();
        }
    }

    /** Garbage collection stopped the generator for this share of the time. */
    record GarbageCollected(double share) implements Doubt {}

    /** The CPU limit of the generator's control group stopped it for this share of the time, in {@code throttled} of all periods. */
    record CpuLimited(double share, long throttled, long periods) implements Doubt {}

    /** A hypervisor took this percentage of the CPU time away. */
    record CpuStolen(double percent) implements Doubt {}

    /**
     * The generator's own threads stalled, and that explains a percentile and those above it.
     *
     * @param stoppedShare share of the time for which the whole process stood still
     * @param percentile the least percentile that the stalls explain; NaN if they cost a load without moments much of its time
     * @param floorMillis what the stalls alone would have made of that percentile
     * @param valueMillis value of the percentile
     * @param reason null if another finding contains the reason, or if it is not known
     */
    record HeldUp(double longestMillis, double stoppedShare, double percentile, double floorMillis, double valueMillis,
            @Nullable Reason reason) implements Doubt {

        private static final double MUCH = 0.3;

        @Override
        public boolean invalidates() {
            return percentile <= 50 || Double.isNaN(percentile) && stoppedShare >= MUCH;
        }
    }

    /** The generator used this percentage of the processors available to it. */
    record GeneratorBusy(double percent, int cores) implements Doubt {}

    /** All processors of the machine were busy in a run without a schedule. */
    record MachineBusy(@Nullable CpuUse cpuUse) implements Doubt {}

    /**
     * A thread of the generator was nearly always ready to run and often waited for a processor.
     *
     * @param share the time that it waited, divided by the length of the measured part
     */
    record Starved(double share, @Nullable CpuUse cpuUse) implements Doubt {}

    /** A thread of the generator used this share of a processor and may have been the limit. */
    record ThreadBusy(String thread, double share, boolean sends) implements Doubt {}

    /** A reading of the clock takes long. */
    record ClockSlow(double readingMicros, String source) implements Doubt {}

    /** The clock source of the kernel is slow or coarse. */
    record ClockCoarse(String source) implements Doubt {}

    /** The timer slack of sending threads could not be lowered, so that they may wake up late. */
    record TimerSlack(String refused) implements Doubt {}

    /** Every process of the generator was lost before it reported how it performed. */
    record NotJudged() implements Doubt {}

    /**
     * The figures include the first seconds of a run without a warm-up.
     *
     * @param responded whether the times are response times; otherwise they are send ack times
     */
    record ColdStart(double p99Millis, double p99WithoutMillis, int seconds, boolean responded) implements Doubt {}
}
