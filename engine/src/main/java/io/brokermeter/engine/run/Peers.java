package io.brokermeter.engine.run;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The processes that run other shares of the same plan, as one of them sees them. Everybody goes through the same steps and waits at some for all
 * others, so that no message is sent before its consumers are there, and nothing is removed that somebody still uses. No call blocks.
 */
public interface Peers {

    /** What all do together, in this order. */
    enum Step {
        /** Connections are made. */
        CONNECTED,
        /** Destinations exist. */
        DECLARED,
        /** Producers and consumers are open, and sending threads wait for the start. */
        READY,
        /** Nothing more of the load is to be sent. */
        SENT,
        /** Nothing that is due is missing. */
        DRAINED,
        /** Consumers are closed, and destinations still exist. */
        CLOSED
    }

    /** Nobody: a run in one process. */
    Peers NONE = new Peers() {};

    /** @param wake is called by any thread when there may be something new to look at */
    default void whenNews(Runnable wake) {}

    /** Says that this process has come so far. */
    default void reached(Step step) {}

    /** Whether all have come so far, or none is waited for any more. */
    default boolean mayPass(Step step) {
        return true;
    }

    /** Whether it is this process's turn to declare destinations: one after the other, so that each is made once. */
    default boolean mayDeclare() {
        return true;
    }

    /**
     * When the run starts, nanoseconds of the run's clock; once {@link Step#READY} may be passed, or {@link Step#DECLARED} where nothing is sent.
     *
     * @param earliest what this process could do
     */
    default long start(long earliest) {
        return earliest;
    }

    /** Whether there is anybody. */
    default boolean isAny() {
        return false;
    }

    /** Whether somebody makes faults in the run, of which the scenario of this process says nothing. */
    default boolean makeFaults() {
        return false;
    }

    /** Whether one of those is in effect that will be undone. */
    default boolean isFaulted() {
        return false;
    }

    /**
     * Tells once what this process declared, by numbers of destinations.
     *
     * @param made those of them that did not exist before
     */
    default void declared(Set<Integer> declared, Set<Integer> made) {}

    /** Tells once that this process waits no longer for the others to close, and leaves to them what it made and they use. */
    default void leaves() {}

    /** Once {@link Step#CLOSED} may be passed: destinations that processes made which are gone, and which this one is to remove. */
    default Set<Integer> inherited() {
        return Set.of();
    }

    /** The same of durable subscriptions that several processes share: those whose remover is gone, by numbers of subscriptions. */
    default Set<Integer> inheritedSubscriptions() {
        return Set.of();
    }

    /**
     * Tells once when the first consumer of this process was open.
     *
     * @param at nanoseconds of the run's clock
     */
    default void opened(long at) {}

    /** Tells under the load how many messages groups took here that may take only a number of them, by number of the group. */
    default void took(Map<Integer, Long> byGroup) {}

    /** Numbers of the groups that took together, in whatever processes, all that they may take. */
    default Set<Integer> usedUp() {
        return Set.of();
    }

    /** Whether the load of all ends before it was sent, since one of them cannot go on, or a threshold is not kept. */
    default boolean isLoadOver() {
        return false;
    }

    /** Tells in the drain what this process knows of messages that are due; again whenever it has changed. */
    default void owes(Balance balance) {}

    /** Once {@link Step#CLOSED} may be passed: how many deliveries are missing, by number of the destination. */
    default Map<Integer, Long> missing() {
        return Map.of();
    }

    /**
     * What a process knows of deliveries in the drain. Everything that is due has come when, over all processes, numbers and both sums of what
     * is due are those of what was delivered.
     *
     * @param pending its sends and requests whose fate is open, and its connections that are lost and to be made anew
     * @param due deliveries that its confirmed messages make due
     * @param dueSum sum of a number for each of them, modulo 2^64
     * @param delivered deliveries that it got, each message once for each subscription
     * @param deliveredSum sum of the same number for each of them
     * @param missing how many more deliveries are due here than came here, by number of the destination; below zero where more came
     */
    record Balance(long pending, long due, long dueSum, long delivered, long deliveredSum, Map<Integer, Long> missing) {

        /** One of nothing. */
        public static final Balance EMPTY = new Balance(0, 0, 0, 0, 0, Map.of());

        /** Both together. */
        public Balance plus(Balance other) {
            Map<Integer, Long> both = new HashMap<>(missing);
            other.missing.forEach((destination, count) -> both.merge(destination, count, Long::sum));
            return new Balance(pending + other.pending, due + other.due, dueSum + other.dueSum, delivered + other.delivered,
                deliveredSum + other.deliveredSum, both);
        }

        /** Whether nothing is open and what was delivered is what was due. */
        public boolean isSettled() {
            return pending == 0 && due == delivered && dueSum == deliveredSum;
        }
    }
}
