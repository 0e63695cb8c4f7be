package io.brokermeter.engine.run.parts;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.Scenario;
import org.jspecify.annotations.Nullable;

/**
 * The processes that run the other shares of a plan, as seen by one process; the answers here are those of the only one, see
 * {@link OneOfSeveral}. All processes go through the same steps and wait at some of
 * them for all others, so that no message is sent before its consumers are open, and nothing is removed that another process still uses. No
 * call blocks.
 */
public interface RunCoordination {

    /** The steps that all processes go through, in this order. */
    enum Step {
        /** The process has made its connections. */
        CONNECTED,
        /** The destinations of the process exist. */
        DECLARED,
        /** The producers and consumers of the process are open, and its sending threads wait for the start. */
        READY,
        /** The load of the process is over: nothing more of it is to be sent. */
        SENT,
        /** The drain of the process is over: nothing that is due is missing, or the process no longer waits for it. */
        DRAINED,
        /** The process publishes no counts of consumers any more, which it did until the drain of all was over. */
        COUNTED,
        /** The drain of the process is over for these counts, too. */
        COUNTS_DRAINED,
        /** The consumers of the process are closed; destinations still exist. */
        CLOSED
    }

    /** No other processes, for a run in one process. */
    RunCoordination NONE = new RunCoordination() {};

    /**
     * Sets the callback that reports news of the other processes.
     *
     * @param wake called by any thread when there may be something new to look at
     */
    default void whenNews(Runnable wake) {}

    /** Reports that this process has reached a step. */
    default void reached(Step step) {}

    /**
     * Returns whether this process may pass a step: all processes that are still waited for have reached it. {@link Step#DRAINED} and
     * {@link Step#COUNTS_DRAINED} may be passed earlier, see {@link StepBarrier}.
     */
    default boolean mayPass(Step step) {
        return true;
    }

    /**
     * Returns whether it is this process's turn to declare destinations. Processes declare one after the other, so that each destination is
     * created once.
     */
    default boolean mayDeclare() {
        return true;
    }

    /**
     * Returns when the run starts, in nanoseconds of the run's clock. Valid once {@link Step#READY} may be passed, or {@link Step#DECLARED}
     * where nothing is sent.
     *
     * @param earliest the earliest start that this process can keep
     */
    default long start(long earliest) {
        return earliest;
    }

    /** Returns whether there are other processes. */
    default boolean isAny() {
        return false;
    }

    /** Returns the faults that this process makes. */
    default List<Fault> faults(Scenario scenario) {
        return scenario.faults();
    }

    /** Returns whether somebody makes faults in the run that are not in this process's scenario. */
    default boolean makeFaults() {
        return false;
    }

    /** Returns whether one of the faults that {@link #makeFaults} is about is in effect and will be undone. */
    default boolean isFaulted() {
        return false;
    }

    /**
     * Reports once which destinations this process declared.
     *
     * @param declared numbers of the destinations
     * @param made numbers of those that did not exist before
     */
    default void declared(Set<Integer> declared, Set<Integer> made) {}

    /**
     * Reports once that this process no longer waits for the others to close, and leaves it to them to remove what it created and they use.
     */
    default void leaves() {}

    /**
     * Returns the numbers of the destinations that this process removes in place of processes that created them and are gone. Valid once
     * {@link Step#CLOSED} may be passed.
     */
    default Set<Integer> takenOver() {
        return Set.of();
    }

    /**
     * Returns the numbers of the durable subscriptions, shared by several processes, that this process removes in place of a process that
     * is gone. Valid once {@link Step#CLOSED} may be passed.
     */
    default Set<Integer> takenOverSubscriptions() {
        return Set.of();
    }

    /**
     * Reports once when the first consumer of this process was open.
     *
     * @param at when the consumer was open, in nanoseconds of the run's clock
     */
    default void opened(long at) {}

    /** Reports during the load how many messages the groups with a quota took in this process, by number of the group. */
    default void took(Map<Integer, Long> byGroup) {}

    /** Returns the numbers of the groups that have used up their quotas, over all processes together. */
    default Set<Integer> usedUp() {
        return Set.of();
    }

    /** Returns whether the load of all processes ends before it was sent, because one of them cannot go on or a threshold was missed. */
    default boolean isLoadOver() {
        return false;
    }

    /**
     * Returns when the loads of all processes were over, in nanoseconds of the run's clock; 0 as long as they are not, or where that is not
     * known. {@link Step#SENT} may be passed minutes later, since commands of faults are waited for before.
     */
    default long loadEnded() {
        return 0;
    }

    /**
     * Reports in the drain what this process knows of deliveries that are due and that came; again whenever that has changed, and when
     * {@link Step#COUNTED} was reached. Until then counts of consumers are not included.
     */
    default void owes(Balance balance) {}

    /**
     * Returns the number of missing deliveries, by number of the destination. Of several processes none knows of any before
     * {@link Step#CLOSED} may be passed.
     *
     * @param here returns it by the ledger of this process
     */
    default Map<Integer, Long> missing(Supplier<Map<Integer, Long>> here) {
        return here.get();
    }

    /** Returns the longest wait for messages that are being processed at the end, in nanoseconds. */
    default long longestProcessing() {
        return Long.MAX_VALUE;
    }

    /**
     * Returns what this process knows of the result: that of the run, or of its part.
     *
     * @param own has the part of this process
     * @param missed number of the threshold that ended the run, -1 for none
     * @param broker figures of the broker; null for none
     */
    default ResultMerger.Merged result(ResultMerger own, int missed, @Nullable BrokerFigures broker) {
        return own.result(0, List.of(), ResultMerger.ClockBound.NONE, missed, broker);
    }

    /**
     * The deliveries that a process knows of in the drain. Everything that is due has come when, over all processes, nothing is pending and
     * the number and the sum of the deliveries that are due equal the number and the sum of those that came.
     *
     * @param pending number of the process's sends and requests whose fate is open, and of its lost connections that are being restored
     * @param due number of deliveries that the confirmed messages of the process make due
     * @param dueSum sum, modulo 2^64, of a number that is derived from each delivery that is due
     * @param delivered number of deliveries to the process, each message once for each subscription
     * @param deliveredSum sum of the same numbers for the deliveries that came
     * @param missing how many more deliveries are due here than came here, by number of the destination; negative where more came
     */
    record Balance(long pending, long due, long dueSum, long delivered, long deliveredSum, Map<Integer, Long> missing) {

        /** A balance without deliveries. */
        public static final Balance EMPTY = new Balance(0, 0, 0, 0, 0, Map.of());

        /** Returns the sum of this balance and another. */
        public Balance plus(Balance other) {
            Map<Integer, Long> both = new HashMap<>(missing);
            other.missing.forEach((destination, count) -> both.merge(destination, count, Long::sum));
            return new Balance(pending + other.pending, due + other.due, dueSum + other.dueSum, delivered + other.delivered,
                deliveredSum + other.deliveredSum, both);
        }

        /** Returns whether nothing is pending and the deliveries that came are those that were due. */
        public boolean isSettled() {
            return pending == 0 && due == delivered && dueSum == deliveredSum;
        }
    }
}
