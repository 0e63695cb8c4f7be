package io.brokermeter.engine.recording;

/**
 * Something that happened during a run.
 *
 * @param elapsedNanos since the run's start
 * @param kind what sort of thing
 * @param sentence one sentence for the user
 */
public record Event(long elapsedNanos, Kind kind, String sentence) {

    /**
     * Sorts of events; all but {@link #NOTICE}, {@link #PHASE} and {@link #UNSEEN}, what of the broker cannot be seen, are
     * trouble.
     */
    public enum Kind { PHASE, UNSEEN, NOTICE, WARNING, STALL, INTERRUPTED, RESUMED, ERROR }
}
