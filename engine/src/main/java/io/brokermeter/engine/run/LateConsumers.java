package io.brokermeter.engine.run;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.pacing.Clock;

/**
 * The groups of consumers that open after the start of the load and are not open yet: with a start delay, or after the producers. Used by the
 * reporting thread only.
 */
final class LateConsumers {

    /** Opens the consumers of a group. */
    interface Opening {
        void open(Participants.ReceivingGroup group) throws RunFailure;
    }

    private final Participants participants;
    private final EventLog events;
    private final Clock clock;
    private final Opening opening;
    /** The groups that wait, with the moments at which they are due, in nanoseconds since the epoch. */
    private final Map<Participants.ReceivingGroup, Long> waiting = new LinkedHashMap<>();

    /** @param start the start of the run, from which start delays count, in nanoseconds since the epoch */
    LateConsumers(Participants participants, EventLog events, Clock clock, long start, Opening opening) {
        this.participants = participants;
        this.events = events;
        this.clock = clock;
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

    /** Returns when the next group is due, in nanoseconds since the epoch; {@link Timetable#NO_END} when none waits. */
    long nextDue() {
        return waiting.values().stream().mapToLong(Long::longValue).min().orElse(Timetable.NO_END);
    }

    /** Opens the consumers that are due. */
    void openThoseDue() {
        long now = clock.nanos();
        for (Map.Entry<Participants.ReceivingGroup, Long> entry : List.copyOf(waiting.entrySet())) {
            if (now >= entry.getValue()) {
                waiting.remove(entry.getKey());
                try {
                    opening.open(entry.getKey());
                } catch (RunFailure e) {
                    events.fatal(e.finding());
                }
            }
        }
    }
}
