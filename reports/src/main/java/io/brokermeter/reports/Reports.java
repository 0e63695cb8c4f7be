package io.brokermeter.reports;

import java.util.List;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.RunObserver;
import org.jspecify.annotations.Nullable;

/**
 * Combines several reports into one observer. A report that fails does not prevent those after it from running; the first failure is
 * thrown at the end, with the later ones suppressed in it. If a report cannot finish a result, those after it receive the result as a
 * failed one.
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
        RunResult[] reported = {result};
        each(o -> {
            try {
                o.finished(reported[0]);
            } catch (Exception e) {
                reported[0] = reported[0].with(new Finding.Broken(Finding.Step.FINISH_REPORT, "", String.valueOf(e.getMessage())));
                throw e;
            }
        });
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
