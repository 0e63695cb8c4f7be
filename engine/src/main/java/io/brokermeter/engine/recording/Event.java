package io.brokermeter.engine.recording;

import io.brokermeter.engine.finding.Finding;

/**
 * Something that happened during a run.
 *
 * @param elapsedNanos since the run's start
 * @param kind what sort of thing
 * @param what what happened
 */
public record Event(long elapsedNanos, Kind kind, Finding what) {

    /**
     * Sorts of events; all but {@link #NOTICE}, {@link #PHASE} and {@link #UNSEEN}, what of the broker cannot be seen, are
     * trouble; that of a {@link #FAULT} was asked for. {@link #ATTEMPT} is one to connect again that failed, of which there may be many.
     */
    public enum Kind { PHASE, UNSEEN, NOTICE, FAULT, WARNING, STALL, INTERRUPTED, ATTEMPT, RESUMED, ERROR }
}
