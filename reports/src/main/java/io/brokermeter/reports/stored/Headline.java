package io.brokermeter.reports.stored;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

import io.brokermeter.engine.recording.RunOutcome;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.table.TableColumn;

/**
 * Formats a run or a sweep as one line of a list: whether it passed, its rate, its 99th percentile, and whether its figures are doubtful.
 */
public final class Headline {

    private Headline() {}

    public static String of(StoredRun run) {
        List<String> parts = new ArrayList<>();
        StoredResult result = run.result();
        if (run.state() == StoredRun.State.CUT_OFF && run.intervals().isEmpty()) {
            return "did not come to its end";
        }
        parts.add(switch (run.state()) {
            case ENDED -> verdict(result);
            case RUNNING -> "goes on since " + seconds(result);
            case CUT_OFF -> "cut off after " + seconds(result);
        });
        double rate = result.sends() ? TableColumn.SENT.of(result) : TableColumn.RECEIVED.of(result);
        if (Double.isFinite(rate)) {
            parts.add(Amounts.rate(rate, "msg/s"));
        }
        p99(parts, result, Metric.RESPONSE, Metric.SEND);
        if (!result.doubts().isEmpty() && !result.isInvalid()) {
            parts.add("doubtful");
        }
        return String.join(", ", parts);
    }

    /** Returns {@code passed}, {@code invalid}, {@code rate missed}, {@code threshold missed}, {@code failed} or {@code ended by SIGINT}. */
    private static String verdict(StoredResult result) {
        int signal = result.signal();
        if (result.success() && signal > 0) {
            return "ended by " + (signal == 1 ? "SIGHUP" : signal == 2 ? "SIGINT" : signal == 15 ? "SIGTERM" : "signal " + signal);
        }
        return result.isInvalid() && !result.is(RunOutcome.THRESHOLD_MISSED) ? "invalid"
            : !result.success() ? "failed" : !result.meetsThresholds() ? "threshold missed"
                : result.isRateMissed() ? "rate missed" : "passed";
    }

    private static String seconds(StoredResult result) {
        return String.format(Locale.ROOT, "%.1f s", result.number(ResultField.ELAPSED));
    }

    /** Adds the 99th percentile of the first of these times that has one. */
    private static void p99(List<String> parts, StoredResult result, Metric... times) {
        for (Metric time : times) {
            double micros = result.micros(time, "p99");
            if (Double.isFinite(micros)) {
                parts.add(time.fileKey() + " p99 " + micros(micros));
                return;
            }
        }
    }

    /** Formats a time in the unit that suits it, with three digits. */
    public static String micros(double micros) {
        double value = micros;
        String unit = "us";
        if (micros >= 999.5e3) {
            value = micros / 1e6;
            unit = "s";
        } else if (micros >= 999.5) {
            value = micros / 1e3;
            unit = "ms";
        }
        return String.format(Locale.ROOT, value >= 100 ? "%.0f %s" : value >= 10 ? "%.1f %s" : "%.2f %s", value, unit);
    }

    public static String of(StoredSweep sweep) {
        List<String> states = sweep.trials().stream().map(StoredTrial::state).toList();
        List<String> parts = new ArrayList<>();
        boolean running = StoredSweep.isRunning(sweep.directory());
        if (running) {
            parts.add("goes on");
        }
        parts.add(Collections.frequency(states, "passed") + " of " + states.size() + " trials passed");
        parts.add(Collections.frequency(states, "failed") + " failed");
        long open = sweep.missing();
        if (open > 0 && !running) {
            parts.add(open + " without a result");
        }
        return String.join(", ", parts);
    }
}
