package io.brokermeter.trials;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.RunObserver;

/**
 * The report files and the console as one observer. Neither keeps the other from its work, and the console comes last so
 * that its summary can tell of a file that could not be finished.
 */
final class Observers implements RunObserver {

    private final RunObserver files;
    private final RunObserver console;

    Observers(RunObserver files, RunObserver console) {
        this.files = files;
        this.console = console;
    }

    @Override
    public void interval(Interval interval) throws Exception {
        try {
            files.interval(interval);
        } finally {
            console.interval(interval);
        }
    }

    @Override
    public void event(Event event) throws Exception {
        try {
            files.event(event);
        } finally {
            console.event(event);
        }
    }

    @Override
    public void finished(RunResult result) throws Exception {
        RunResult told = result;
        try {
            files.finished(result);
        } catch (Exception e) {
            told = result.with(new Finding.Broken(Finding.Step.FINISH_REPORT, "", String.valueOf(e.getMessage())));
            throw e;
        } finally {
            console.finished(told);
        }
    }

    @Override
    public void close() throws Exception {
        try {
            files.close();
        } finally {
            console.close();
        }
    }
}
