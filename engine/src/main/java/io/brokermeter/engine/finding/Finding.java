package io.brokermeter.engine.finding;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.Quantity;
import org.jspecify.annotations.Nullable;

/**
 * Something that a run found out about itself: why it failed, why its figures may be the generator's, or what the user should know besides. The
 * types are closed, and the components of each are its data; the reports make sentences of them. Times are in the units of their names,
 * shares from 0 to 1.
 */
public sealed interface Finding {

    /** Why a run failed, or would have failed had it not been permitted. */
    sealed interface Failure extends Finding {}

    /** What happened in a run and does not fail it. */
    sealed interface Notice extends Finding {}

    /** Why the figures of a run may be those of the generator and not of the broker. */
    sealed interface Doubt extends Finding {

        /** Who used the processors, where that belongs to it. */
        default @Nullable CpuUse cpuUse() {
            return null;
        }
    }

    /** The name of its type in files: {@code sends-failed}. */
    default String kind() {
        return getClass().getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
    }

    // ---- failures ----

    /**
     * A step of the run failed.
     *
     * @param subject what it was about, where the step does not say it; otherwise empty
     * @param cause in the words of the client, the broker or the machine
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
     * The run was ended because no send and no confirmation came for this time.
     *
     * @param unconfirmed 0 when a send does not return
     * @param reason the client's, empty when it knows none
     */
    record Stuck(long seconds, long unconfirmed, String url, String reason) implements Failure {}

    /** @param reason the client's, empty when it knows none */
    record SendNotReturned(long seconds, String reason) implements Failure {}

    record NotClosed(long seconds) implements Failure {}

    /**
     * A process that ran a part of the run is gone, or said nothing any more.
     *
     * @param agent its name
     * @param how it was lost, as the end of a sentence: {@code was killed}
     */
    record AgentLost(String agent, String how) implements Failure {}

    /**
     * A process did not begin with its part of the run.
     *
     * @param agent its name
     * @param cause one sentence
     */
    record AgentFailed(String agent, String cause) implements Failure {}

    record SendsFailed(long count, Map<String, Long> byCause) implements Failure {
        public SendsFailed {
            byCause = Collections.unmodifiableMap(new LinkedHashMap<>(byCause));
        }
    }

    /**
     * Sends whose fate is unknown.
     *
     * @param delivered those of them that were delivered all the same
     * @param byCause why, as the loss of their connection, with how often; of others nobody said why
     */
    record Unconfirmed(long count, long delivered, Map<String, Long> byCause) implements Failure {
        public Unconfirmed {
            byCause = Collections.unmodifiableMap(new LinkedHashMap<>(byCause));
        }

        /** Of which nobody said why. */
        public Unconfirmed(long count, long delivered) {
            this(count, delivered, Map.of());
        }
    }

    record Unanswered(long count) implements Failure {}

    record RolledBackDelivered(long count) implements Failure {}

    record StrayConfirmations(long count) implements Failure {}

    /**
     * Consumers that were to take a number of messages got fewer.
     *
     * @param group its name, empty when it is the only one
     * @param within how long they had, null for no limit
     */
    record TooFewTaken(String group, long taken, long asked, @Nullable Duration within) implements Failure {}

    record FailedDelivered(long count) implements Failure {}

    record Unselected(long count) implements Failure {}

    record Corrupt(long count) implements Failure {}

    /** Messages that did not come and that the broker does not hold. */
    record Lost(long count, boolean confirmed, Duration drainTimeout) implements Failure {}

    /** Messages that wait in the broker. */
    record Left(long count, Duration drainTimeout) implements Failure {}

    /**
     * Messages that did not come, and it is not known whether the broker has them.
     *
     * @param stillArriving whether deliveries came up to the end
     */
    record Undelivered(long count, boolean confirmed, Duration drainTimeout, boolean stillArriving) implements Failure {}

    record LedgerOpen(long expected, long received, long duplicates, long lost, long left) implements Failure {}

    /**
     * Less than half of what was due was sent in time.
     *
     * @param share the part that was
     * @param reachedPerSecond the rate of what was sent; NaN where only a part of it had a schedule
     */
    record RateMissed(double share, double reachedPerSecond, double askedPerSecond) implements Failure {}

    /**
     * A fault of the scenario was not made, or not undone.
     *
     * @param number in the scenario, from 1
     * @param target as {@link Fault#target}
     */
    record FaultFailed(int number, Fault.Action action, String target, FaultStep step, String cause) implements Failure, OfFault {}

    /** What is about a fault of the scenario. */
    interface OfFault {

        /** In the scenario, from 1. */
        int number();

        Fault.Action action();

        /** As {@link Fault#target}. */
        String target();
    }

    /** The two halves of a fault. */
    enum FaultStep {
        BEGAN, ENDED
    }

    // ---- notices ----

    /** A sentence of a driver, or of what watches the broker. */
    record Said(String text) implements Notice {}

    /**
     * What happened in a process that runs a part of the run.
     *
     * @param agent its name
     */
    record OfAgent(String agent, Finding what) implements Notice {

        @Override
        public String kind() {
            return what.kind();
        }
    }

    /** Messages with the clock of another machine, or of a time before the wall clock was set. */
    record OtherClock(long count) implements Notice {}

    record OrderNotFollowed(long count) implements Notice {}

    /** Messages that were sent so late that the envelope has no room for it. */
    record SendTimeUnknown(long count) implements Notice {}

    record TransfersBelowZero(long count) implements Notice {}

    /** How wrong times of messages may be that were sent and received by the clocks of two machines. */
    record OneWayBound(double micros) implements Notice {}

    /** Such times are left out, since what the clocks may be apart is more than a tenth of their median. */
    record OneWayLeftOut(double micros, double medianMicros) implements Notice {}

    /**
     * It is not known how a run of several processes got over a fault.
     *
     * @param lost how many of them were lost, whose part in it nobody knows
     * @param apartMicros how far apart the clocks of the others may be
     */
    record ScorecardLeftOut(int lost, double apartMicros) implements Notice {}

    record BeforeSubscription(long count) implements Notice {}

    /**
     * Deliveries of messages that the run sent to other destinations than that of the subscription.
     *
     * @param sentTo where some of them were sent to
     * @param cameTo whose subscription got these
     */
    record FromOtherDestinations(long count, String sentTo, String cameTo) implements Notice {}

    /** Gaps between the first and the last message of a producer, in a run that only receives. */
    record Gaps(long count) implements Notice {}

    /** Sends without a confirmation in a run that was ended before draining was over. */
    record EndedUnconfirmed(long count) implements Notice {}

    /** Messages that were not delivered in a run that was ended before draining was over. */
    record EndedUndelivered(long count, boolean confirmed) implements Notice {}

    /** A failure that the scenario permits. */
    record Permitted(Failure failure) implements Notice {}

    record ConsumersStart() implements Notice {}

    /** @param destination empty when none was asked about yet */
    record DepthUnknown(String destination, String cause) implements Notice {}

    /** The kernel did not give sending threads real-time scheduling. */
    record RealtimeRefused(String cause) implements Notice {}

    record Reconnecting(String cause) implements Notice {}

    record Reconnected() implements Notice {}

    /**
     * A connection is gone, and the run makes another in its place.
     *
     * @param connection its group, and its number in it
     */
    record ConnectionLost(String connection, String cause) implements Notice {}

    /** An attempt to make a lost connection anew failed; attempts count from 1. */
    record ReconnectFailed(String connection, int attempt, String cause) implements Notice {}

    /**
     * A connection was made in place of a lost one, with all that was open on it.
     *
     * @param attempt the number of the attempt that made it
     * @param afterMillis since the loss was noticed
     * @param unknown sends whose fate the loss left unknown
     */
    record ConnectionRestored(String connection, int attempt, long afterMillis, long unknown) implements Notice {}

    /** The run ended before a lost connection was back. */
    record NotRestored(String connection, int attempts, String cause) implements Failure {}

    /** @param reason the client's, empty when it knows none */
    record SendsStalled(long seconds, long unconfirmed, String url, String reason, boolean reconnecting) implements Notice {}

    /** @param missing confirmed messages that are due; -1 in a run that only receives */
    record DeliveriesStalled(long seconds, long missing, String url) implements Notice {}

    /**
     * A threshold that may end the run was not kept, and ended it.
     *
     * @param threshold as it was written
     * @param value the figure
     */
    record ThresholdMissed(String threshold, double value, Quantity.Unit unit) implements Notice {}

    /** A threshold that may end the run never could: clocks of agents were known too little for the time that it is on. */
    record ThresholdUnwatched(String threshold) implements Notice {}

    /**
     * A fault of the scenario took effect, or was undone.
     *
     * @param number in the scenario, from 1
     * @param target as {@link Fault#target}
     * @param askedSeconds when it was to, since the start of the load; NaN where nothing says so, as of the end of a command
     * @param effectiveSeconds when it did
     * @param detail what it was done to; may be empty
     * @param exitStatus that of a command that has ended
     */
    record FaultDone(int number, Fault.Action action, String target, FaultStep step, double askedSeconds, double effectiveSeconds,
            String detail, @Nullable Integer exitStatus) implements Notice, OfFault {

        /** What it is made of by name. */
        @SuppressWarnings("NullAway.Init") // what has no default is asked for when all is set
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

        /** Of what {@code change} sets. */
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
     * Messages that were due did not go out.
     *
     * @param share the part of the scheduled messages that was sent in time
     * @param reachedPerSecond the rate of what was sent; NaN where only a part of it had a schedule
     */
    record NotSentInTime(double share, double reachedPerSecond, double askedPerSecond, Reason reason) implements Doubt {

        @Override
        public @Nullable CpuUse cpuUse() {
            return reason.cpuUse();
        }
    }

    /** @param reason null when another finding has it */
    record MostlyDelay(double medianDelayMillis, @Nullable Reason reason) implements Doubt {

        @Override
        public @Nullable CpuUse cpuUse() {
            return reason == null ? null : reason.cpuUse();
        }
    }

    /** @param reason null when another finding has it */
    record WokeLate(double p99Millis, @Nullable Reason reason) implements Doubt {

        @Override
        public @Nullable CpuUse cpuUse() {
            return reason == null ? null : reason.cpuUse();
        }
    }

    record GarbageCollected(double share) implements Doubt {}

    record CpuLimited(double share, long throttled, long periods) implements Doubt {}

    record CpuStolen(double percent) implements Doubt {}

    /**
     * The machine stopped threads.
     *
     * @param share the part of the messages whose times are the machine's
     */
    record HeldUp(double longestMillis, double stoppedSeconds, double measuredSeconds, double share) implements Doubt {}

    record GeneratorBusy(double percent, int cores) implements Doubt {}

    /** @param scheduled whether there was a rate that can be lowered */
    record MachineBusy(boolean scheduled, @Nullable CpuUse cpuUse) implements Doubt {}

    /** @param share time that threads were ready to run and waited for a processor, added up over all threads, in lengths of the measured part */
    record Starved(double share, @Nullable CpuUse cpuUse) implements Doubt {}

    record ThreadBusy(String thread, double share, boolean sends) implements Doubt {}

    record ClockSlow(double readingMicros, String source) implements Doubt {}

    record ClockCoarse(String source) implements Doubt {}

    record TimerSlack(String refused) implements Doubt {}

    /** Every process of the generator was lost before it reported how it did. */
    record NotJudged() implements Doubt {}

    /** The first seconds of a run without a warm-up are in its figures. */
    record ColdStart(double p99Millis, double p99WithoutMillis, int seconds) implements Doubt {}

    /** What kept messages from being sent in time. */
    enum Blame {
        GARBAGE_COLLECTION, CPU_LIMIT, STOLEN_CPU, STARVED, CONNECTIONS_LOST, PRODUCERS_RESTED, CALLS_WAITED, SLOW_BROKER, SLOW_SENDERS,
        ROUND_TRIP
    }

    /**
     * A reason of another finding.
     *
     * @param share how much of the time it took, NaN where that is not known
     * @param roundTripMillis what the network of the run adds to a round trip; 0 where that is not the reason
     */
    record Reason(Blame blame, double share, @Nullable CpuUse cpuUse, double roundTripMillis) {

        /** One that has nothing to do with a round trip. */
        public Reason(Blame blame, double share, @Nullable CpuUse cpuUse) {
            this(blame, share, cpuUse, 0);
        }
    }

    /** Who used the processors of the machine, in percent of all of them; {@code broker} is NaN when it is not known. */
    record CpuUse(double busyPercent, double generatorPercent, double brokerPercent, double othersPercent) {}
}
