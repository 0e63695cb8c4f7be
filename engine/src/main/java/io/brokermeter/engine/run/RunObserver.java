package io.brokermeter.engine.run;

import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;

/**
 * Observes a run. All methods are called by one thread, never by a sending or receiving one, so an observer may write files. An exception
 * ends the run, which then fails with that cause.
 */
public interface RunObserver extends AutoCloseable {

    /** Called when an interval is over. Its histograms are valid during this call only. */
    default void interval(Interval interval) throws Exception {}

    /** Called for each event of the run. */
    default void event(Event event) throws Exception {}

    /** Called when the run is over, however it ended. */
    default void finished(RunResult result) throws Exception {}

    @Override
    default void close() throws Exception {}
}
