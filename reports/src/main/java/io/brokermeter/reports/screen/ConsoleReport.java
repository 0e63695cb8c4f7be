package io.brokermeter.reports.screen;

import java.io.IOException;
import java.io.PrintStream;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.Numbers;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.json.ResultJson;
import org.jspecify.annotations.Nullable;

/**
 * Prints a run on the console: a block for each interval and the summary on standard output, events and errors on standard error. Names,
 * order and widths of the lines are those of Artemis {@code perf}, without the blanks that it leaves at line ends. With a screen, prints
 * a status line while the run goes on (a line every 10 seconds on a terminal that cannot redraw one) and {@link ScreenSummary} at its
 * end.
 *
 * <p>Does not close the streams. A reader that is gone ({@code | head}) ends the run with an {@link IOException}.
 */
public final class ConsoleReport implements RunObserver {

    /** What is said of a standard output that takes nothing any more. */
    public static final String UNWRITABLE =
        "standard output cannot be written any more: its reader has gone or its disk is full";

    private final PrintStream out;
    private final PrintStream err;
    private final ConsoleOptions options;
    private final RunShape shape;
    /** Errors that were already printed on standard error. */
    private final Set<Finding> told = new HashSet<>();
    private long sent;
    private long received;
    private String status = "";
    private boolean readerGone;
    /** The time of the run at which the next status line is due, if lines are repeated, in nanoseconds. */
    private long repeatAt = StatusLine.REPEAT_NANOS;
    private final @Nullable LiveLine live;

    public ConsoleReport(PrintStream out, PrintStream err, ConsoleOptions options, RunShape shape) {
        this.out = out;
        this.err = err;
        this.options = options;
        this.shape = shape;
        this.live = options.screen() == null ? null : new LiveLine(shape, options.screen().style(), options.status() == StatusLine.REDRAWN);
    }

    @Override
    public void interval(Interval interval) throws IOException {
        sent += interval.sent();
        received += interval.received();
        if (options.silent() || readerGone) {
            return;
        }
        clearStatus();
        if (options.hasBlocks()) {
            out.print(block(interval));
        }
        String line = live == null ? statusOf(interval) : live.after(interval);
        if (options.status() == StatusLine.REDRAWN) {
            showStatus(line);
        } else if (options.status() == StatusLine.REPEATED && !options.hasBlocks() && interval.elapsedNanos() >= repeatAt) {
            out.println(line);
            repeatAt = interval.elapsedNanos() + StatusLine.REPEAT_NANOS;
        }
        check();
    }

    @Override
    public void event(Event event) {
        boolean shown = switch (event.kind()) {
            case PHASE, UNSEEN, ATTEMPT -> options.verbose();
            case NOTICE -> !options.silent();
            case FAULT, WARNING, STALL, INTERRUPTED, RESUMED, ERROR -> true;
        };
        if (!shown) {
            return;
        }
        String below = status;
        clearStatus();
        out.flush();
        err.println(event.kind().name().toLowerCase(Locale.ROOT) + " (" + Numbers.fixed(event.elapsedNanos() / 1e9, 1)
            + " s): " + Wrapping.oneLine(shape.sentences().of(event.what())));
        err.flush();
        if (event.kind() == Event.Kind.ERROR) {
            told.add(event.what() instanceof Finding.OfAgent(_, Finding what) ? what : event.what());
        }
        showStatus(below);
        out.flush();
    }

    @Override
    public void finished(RunResult result) throws IOException {
        if (readerGone) {
            errors(result);
            return;
        }
        clearStatus();
        ConsoleOptions.Screen screen = options.screen();
        boolean scored = options.scored() && result.scorecard() != null;
        if (screen == null && !scored || options.verbose()) {
            out.print(new Summary(result, shape, options.verbose()).text());
        }
        if (screen != null && !scored) {
            out.print("\n" + ScreenSummary.text(ResultJson.stored(result, shape), screen.style(), screen.files(), screen.next()));
        }
        if (result.scorecard() != null) {
            ScorecardText.of(List.of(ResultJson.stored(result, shape))).ifPresent(text -> out.print("\n" + text));
            if (scored) {
                if (!options.verbose()) {
                    doubts(result);
                }
                errors(result);
                if (screen != null) {
                    String end = ScreenSummary.end(screen.style(), screen.files(), screen.next());
                    out.print(end.isEmpty() ? "" : "\n" + end);
                }
            }
        }
        try {
            check();
        } catch (IOException e) {
            // Nothing else is printed after this, so the error goes to where it can be read.
            errors(result);
            err.println("error: The summary could not be printed: " + e.getMessage() + ".");
            throw e;
        }
    }

    /** Prints why a scorecard is doubtful, except for doubts about a slow or lost broker, which are effects of the fault. */
    private void doubts(RunResult result) {
        ResultJson.stored(result, shape).doubtsBesideFault()
            .forEach(doubt -> out.print("doubt: " + Wrapping.oneLine(doubt.sentence()) + "\n"));
    }

    /** Prints the failures that no event has reported. */
    private void errors(RunResult result) {
        result.failures().stream().filter(failure -> !told.contains(failure))
            .forEach(failure -> err.println("error: " + Wrapping.oneLine(shape.sentences().of(failure))));
    }

    @Override
    public void close() {
        clearStatus();
        out.flush();
    }

    private void check() throws IOException {
        if (out.checkError()) {
            readerGone = true;
            status = "";
            throw new IOException(UNWRITABLE);
        }
    }

    private String block(Interval i) {
        long nanos = i.endEpochNanos() - i.startEpochNanos();
        StringBuilder b = new StringBuilder("\n--- warmup ").append(i.warmup()).append('\n');
        if (shape.sends()) {
            rate(b, "--- sent:     ", i.sent(), nanos);
            rate(b, "--- blocked:  ", i.blocked(), nanos);
            rate(b, "--- completed:", i.completed(), nanos);
            if (i.failed() > 0) {
                rate(b, "--- failed:   ", i.failed(), nanos);
            }
        }
        if (shape.receives()) {
            rate(b, "--- received: ", i.received(), nanos);
        }
        if (options.showLatency()) {
            Map<Metric, Distribution> samples = i.warmup() ? i.warmupSamples() : i.measured();
            if (shape.scheduled()) {
                LatencyLine.append(b, "--- send delay time:", samples.get(Metric.SEND_DELAY));
            }
            if (shape.sends()) {
                LatencyLine.append(b, "--- send ack time:  ", samples.get(Metric.SEND));
            }
            if (shape.receives()) {
                LatencyLine.append(b, "--- transfer time:  ", samples.get(Metric.TRANSFER));
            }
            String few = LatencyLine.few(shape, "send ack", samples);
            if (!few.isEmpty()) {
                b.append("--- few samples:    ").append(few).append('\n');
            }
        }
        BrokerSample broker = i.broker();
        if ((options.showBroker() || options.verbose()) && broker != null) {
            BrokerLine.append(b, broker);
        }
        return b.toString();
    }

    private static void rate(StringBuilder b, String name, long count, long nanos) {
        String perSecond = Long.toString(Numbers.perSecond(count, nanos));
        b.append(name).append(' ').append(Numbers.padded(perSecond, 8)).append(" msg/sec\n");
    }

    private String statusOf(Interval i) {
        StringBuilder b = new StringBuilder();
        double elapsed = i.elapsedNanos() / 1e9;
        b.append(Numbers.fixed(elapsed, 0)).append(" s");
        if (!shape.duration().isZero()) {
            double planned = shape.duration().toNanos() / 1e9;
            b.append(" of ").append(Numbers.fixed(planned, 0)).append(" s (")
                .append(Numbers.fixed(Math.min(100, 100 * elapsed / planned), 0)).append("%)");
        }
        long done = shape.sends() ? sent : received;
        if (shape.messageCount() > 0) {
            b.append(", ").append(done).append(" of ").append(shape.messageCount()).append(" messages");
        }
        long nanos = i.endEpochNanos() - i.startEpochNanos();
        b.append(", ").append(Numbers.perSecond(shape.sends() ? i.sent() : i.received(), nanos)).append(" msg/s");
        Map<Metric, Distribution> samples = i.warmup() ? i.warmupSamples() : i.measured();
        for (Metric metric : new Metric[] {Metric.RESPONSE, Metric.SEND}) {
            Distribution d = samples.get(metric);
            if (d != null && d.supports(99)) {
                b.append(", ").append(metric.label()).append(" p99 ")
                    .append(Numbers.fixed(d.nanosAt(99) / 1e6, 2)).append(" ms");
                break;
            }
        }
        return b.toString();
    }

    /** Writes the status line without a line end, so that the next output can overwrite it. */
    private void showStatus(String line) {
        if (line.isEmpty() || readerGone) {
            return;
        }
        // A terminal wraps when its last column is filled.
        status = line.length() < options.width() ? line : line.substring(0, Math.max(0, options.width() - 1));
        out.print('\r' + status);
    }

    private void clearStatus() {
        if (!status.isEmpty()) {
            out.print('\r' + " ".repeat(status.length()) + '\r');
            status = "";
        }
    }
}
