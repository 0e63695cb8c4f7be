package io.brokermeter.engine.recording;

import io.brokermeter.engine.finding.Finding;

/**
 * Something that happened during a run.
 *
 * @param elapsedNanos time since the run's start
 * @param kind kind of the event
 * @param what the finding that describes the event
 */
public record Event(long elapsedNanos, Kind kind, Finding what) {

    /**
     * The kinds of events. All but {@link #NOTICE}, {@link #PHASE}, the begin of a phase of the scenario, and {@link #UNSEEN}, which says
     * what of the broker cannot be observed, are trouble; that of a {@link #FAULT} was requested. {@link #ATTEMPT} is a failed attempt to
     * connect again, of which there may be many.
     */
    public enum Kind { PHASE, UNSEEN, NOTICE, FAULT, WARNING, STALL, INTERRUPTED, ATTEMPT, RESUMED, ERROR }
}
