package io.brokermeter.engine.run;

import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;

/**
 * Watches a run. All methods are called by one thread, never by a sending or receiving one, so an observer may write
 * files. An exception ends the run, which then fails with that cause.
 */
public interface RunObserver extends AutoCloseable {

    /** An interval is over; its histograms are valid during this call only. */
    default void interval(Interval interval) throws Exception {}

    /** Something happened. */
    default void event(Event event) throws Exception {}

    /** The run is over, however it ended. */
    default void finished(RunResult result) throws Exception {}

    @Override
    default void close() throws Exception {}
}
