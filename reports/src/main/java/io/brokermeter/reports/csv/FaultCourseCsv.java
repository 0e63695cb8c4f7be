package io.brokermeter.reports.csv;

import java.util.List;
import java.util.Locale;

import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.fault.FaultCourse;
import io.brokermeter.reports.Numbers;
import io.brokermeter.reports.document.FaultStep;

/**
 * Formats the course of events around a fault as comma-separated values with a header, one line for each time step:
 * {@code elapsed_seconds} is the end of the step since the start of the load, {@code seconds} its length; {@code longest_wait_micros} is
 * empty if nothing was delivered.
 */
public final class FaultCourseCsv {

    private FaultCourseCsv() {}

    /** Returns the whole file; empty for a run without a scorecard. */
    public static String text(RunResult result) {
        FaultCourse course = result.scorecard() == null ? null : result.scorecard().course();
        if (course == null || course.cells().isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder(Csv.line(Csv.columns(FaultStep.class)));
        for (int i = 0; i < course.cells().size(); i++) {
            FaultCourse.Cell cell = course.cells().get(i);
            text.append(Csv.line(List.of(Numbers.fixed(course.from() + (i + 1) * course.step(), 3), Numbers.fixed(course.step(), 3),
                Long.toString(cell.confirmed()), Long.toString(cell.delivered()), Long.toString(cell.failed()),
                cell.delivered() == 0 ? "" : String.format(Locale.ROOT, "%.0f", cell.longestWait() * 1e6))));
        }
        return text.toString();
    }
}
