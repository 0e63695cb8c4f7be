package io.brokermeter.reports;

import java.util.List;

import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.RunObserver;
import org.jspecify.annotations.Nullable;

/**
 * Several reports as one observer. Each is told everything even when one before it fails; the first failure is thrown
 * when all were told, with the later ones suppressed in it.
 */
public final class Reports implements RunObserver {

    private final List<RunObserver> observers;

    public Reports(List<? extends RunObserver> observers) {
        this.observers = List.copyOf(observers);
    }

    @Override
    public void interval(Interval interval) throws Exception {
        each(o -> o.interval(interval));
    }

    @Override
    public void event(Event event) throws Exception {
        each(o -> o.event(event));
    }

    @Override
    public void finished(RunResult result) throws Exception {
        each(o -> o.finished(result));
    }

    @Override
    public void close() throws Exception {
        each(RunObserver::close);
    }

    private void each(Call call) throws Exception {
        @Nullable Exception first = null;
        for (RunObserver observer : observers) {
            try {
                call.on(observer);
            } catch (Exception e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private interface Call {
        void on(RunObserver observer) throws Exception;
    }
}
