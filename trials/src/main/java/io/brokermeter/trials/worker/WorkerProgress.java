package io.brokermeter.trials.worker;

import java.util.function.Consumer;

import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.run.RunObserver;

/**
 * Reports the intervals and events of a worker to its parent.
 *
 * @param out receives each line
 */
public record WorkerProgress(Consumer<WorkerLine> out) implements RunObserver {

    @Override
    public void interval(Interval i) {
        out.accept(new WorkerLine.Progress(i));
    }

    @Override
    public void event(Event event) {
        out.accept(new WorkerLine.Happened(event));
    }
}
