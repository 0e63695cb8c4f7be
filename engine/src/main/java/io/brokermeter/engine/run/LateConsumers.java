package io.brokermeter.engine.run;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.scenario.Recovery;
import org.jspecify.annotations.Nullable;

/**
 * The groups of consumers that open after the start of the load and are not open yet: with a start delay, or after the producers. Used by the
 * reporting thread only.
 */
final class LateConsumers {

    /** The interval at which a group that is due while it may not be opened is looked at, in nanoseconds. */
    private static final long LOOK_AGAIN = 20_000_000;
    /** The time after which consumers that could not be opened are tried again, in nanoseconds. */
    private static final long TRY_AGAIN = 100_000_000;
    /**
     * The longest time for which they are, in nanoseconds: so long a client may take to notice that its connection is gone. What fails longer
     * than that has another cause, which is then reported.
     */
    private static final long TRY_WITHIN = 10_000_000_000L;

    /** Opens the consumers of a group. */
    interface Opening {
        void open(Participants.ReceivingGroup group) throws RunFailure;
    }

    private final Participants participants;
    private final EventLog events;
    private final Clock clock;
    /** How long consumers that could not be opened are tried again, in nanoseconds; 0 where lost connections are not restored. */
    private final long tryWithin;
    private final BooleanSupplier mayOpen;
    private final Opening opening;
    /** The groups that wait, with the moments at which they are due, in nanoseconds since the epoch. */
    private final Map<Participants.ReceivingGroup, Long> waiting = new LinkedHashMap<>();
    /** When groups could not be opened for the first time since no connection was lost, in nanoseconds since the epoch. */
    private final Map<Participants.ReceivingGroup, Long> failing = new HashMap<>();

    /**
     * @param start the start of the run, from which start delays count, in nanoseconds since the epoch
     * @param recovery how the run restores lost connections; null where it does not
     * @param mayOpen whether consumers can be opened now: not while a connection is lost and is being restored
     */
    LateConsumers(Participants participants, EventLog events, Clock clock, long start, @Nullable Recovery recovery,
            BooleanSupplier mayOpen, Opening opening) {
        this.participants = participants;
        this.events = events;
        this.clock = clock;
        this.tryWithin = recovery == null ? 0 : Math.min(TRY_WITHIN, recovery.limit().toNanos());
        this.mayOpen = mayOpen;
        this.opening = opening;
        participants.receiving().stream().filter(group -> !group.start().isWithRun() && !group.start().afterProducers())
            .forEach(group -> waiting.put(group, start + group.start().delay().toNanos()));
    }

    /** Returns whether a group waits. */
    boolean isAny() {
        return !waiting.isEmpty();
    }

    /** Leaves the groups that wait unopened, since the load was cut. */
    void leaveOut() {
        waiting.clear();
    }

    /** Adds the groups that start after the producers, which have ended now. */
    void producersEnded() {
        long now = clock.nanos();
        participants.receiving().stream().filter(group -> group.start().afterProducers())
            .forEach(group -> waiting.put(group, now + group.start().delay().toNanos()));
    }

    /**
     * Returns when {@link #openThoseDue} is to be called next, in nanoseconds since the epoch; {@link Timetable#NO_END} when no group waits.
     * While none may be opened that is later than now, however long a group has been due: the caller sleeps until then.
     */
    long nextDue() {
        long due = waiting.values().stream().mapToLong(Long::longValue).min().orElse(Timetable.NO_END);
        return mayOpen.getAsBoolean() ? due : Math.max(due, clock.nanos() + LOOK_AGAIN);
    }

    /** Opens the consumers that are due, if they can be opened now. */
    void openThoseDue() {
        if (waiting.isEmpty()) {
            return;
        }
        if (!mayOpen.getAsBoolean()) {
            failing.clear();
            return;
        }
        long now = clock.nanos();
        for (Map.Entry<Participants.ReceivingGroup, Long> entry : List.copyOf(waiting.entrySet())) {
            if (now >= entry.getValue()) {
                waiting.remove(entry.getKey());
                try {
                    opening.open(entry.getKey());
                } catch (RunFailure e) {
                    failed(entry.getKey(), e);
                }
            }
        }
    }

    /**
     * Lets a group wait that could not be opened, where lost connections are restored: its connection may be gone, which its client has not
     * noticed yet.
     */
    private void failed(Participants.ReceivingGroup group, RunFailure why) {
        long now = clock.nanos();
        long since = failing.computeIfAbsent(group, _ -> now);
        if (now - since < tryWithin) {
            waiting.put(group, now + TRY_AGAIN);
        } else {
            events.fatal(why.finding());
        }
    }
}
