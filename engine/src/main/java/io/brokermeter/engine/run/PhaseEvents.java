package io.brokermeter.engine.run;

import java.util.List;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.scenario.Phase;

/** Adds an event for the begin of each phase of the scenario, at its moment by the timetable. Used by the reporting thread only. */
final class PhaseEvents {

    private final List<Phase> phases;
    private final Timetable timetable;
    private final EventLog events;
    private final Clock clock;
    private int next;

    PhaseEvents(List<Phase> phases, Timetable timetable, EventLog events, Clock clock) {
        this.phases = phases;
        this.timetable = timetable;
        this.events = events;
        this.clock = clock;
    }

    /** Returns when the next phase begins, in nanoseconds since the epoch; {@link Timetable#NO_END} when none is left. */
    long nextDue() {
        return next < phases.size() ? timetable.phaseBegin(timetable.warmups() + next) : Timetable.NO_END;
    }

    /** Adds the events of phases that have begun since the last call. */
    void addThoseDue() {
        addUntil(clock.nanos());
    }

    /** Adds the events of phases that began at a moment or before, in nanoseconds since the epoch. */
    void addUntil(long moment) {
        while (nextDue() <= moment) {
            long begin = nextDue();
            events.add(begin - timetable.start(), Event.Kind.PHASE, new Finding.PhaseBegins(phases.get(next++).name()));
        }
    }
}
