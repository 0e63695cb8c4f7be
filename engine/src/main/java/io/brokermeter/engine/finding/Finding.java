package io.brokermeter.engine.finding;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.measure.Quantity;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * A fact that a run reports about itself: a cause of its failure, a doubt about its figures, or a notice for the user. The hierarchy
 * is sealed, and the components of each type are its data; the reports make sentences of them. Times are in the units of their
 * names, shares range from 0 to 1.
 */
public sealed interface Finding extends Doubts permits Finding.Failure, Finding.Notice, Doubts.Doubt {

    /** A cause for which a run failed, or would have failed if the scenario did not permit it. */
    sealed interface Failure extends Finding {}

    /** An occurrence in a run that does not fail it. */
    sealed interface Notice extends Finding {}

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

    }

    /**
     * Somebody changed the rate while the run lasted.
     *
     * @param percent by how much of the rate before
     * @param perSecond the rate from then on, of all producers together
     */
    record RateSet(int percent, double perSecond) implements Notice {}

    /**
     * Somebody wanted a fault before its moment while the run lasted.
     *
     * @param askedSeconds time at which that was, since the start of the load
     * @param plannedSeconds time in the scenario
     */
    record FaultAdvanced(int number, Fault.Action action, String target, double askedSeconds, double plannedSeconds)
            implements
                Notice,
                OfFault {}

    /** The load was over before a fault of the scenario was due. */
    record FaultNotDue(int number, Fault.Action action, String target, double askedSeconds) implements Notice, OfFault {}

    /** The load was over before a process that a fault had ended was to be started again. */
    record FaultNotUndone(int number, Fault.Action action, String target, double askedSeconds) implements Notice, OfFault {}
}
