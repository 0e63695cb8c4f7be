package io.brokermeter.live;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.run.faults.FaultPlayer;
import io.brokermeter.engine.run.send.RateChange;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.RunShape;

/**
 * Says in one sentence how a run goes: the rates and the times of the last interval, the broker, what went wrong so far, and what is left.
 * What was lost is known only at the end and therefore not said. Belongs to one thread.
 */
final class LiveSentence {

    /** By how many percent those who watch may change the rate at once. */
    static final int RATE_STEP = 10;
    private static final double[] PERCENTILES = {99, 90, 50};
    /** The difference from which on the rate of deliveries is said beside that of sends. */
    private static final double APART = 0.05;

    private final RunShape shape;
    private Counts counts = Counts.NONE;
    /** The rate from a moment on, in nanoseconds since the run's start. */
    private double asked;
    private double next;
    private long nextFrom = Long.MAX_VALUE;

    LiveSentence(RunShape shape) {
        this.shape = shape;
        this.asked = shape.askedPerSecond();
    }

    /** Returns the answer to a request to end the run. */
    static String ending(boolean ends) {
        return ends ? "The run is ending cleanly." : "The load has not begun yet; Ctrl-C ends the command.";
    }

    /** Returns the answer to a request to change the rate. */
    static String rate(RateChange came, int percent) {
        return switch (came) {
            case DONE -> String.format(Locale.ROOT, "The rate changes by %+d %% in a second.", percent);
            case TOO_LATE -> "The load has not begun, or is over in a moment: its rate stays.";
            case TOO_OFTEN -> "The rate was changed often enough: it stays.";
            case NOT_OF_THIS_LOAD ->
                "The rate stays: it can be changed of one process with a constant rate or Poisson arrivals, without phases "
                    + "and faults.";
        };
    }

    /** Returns the answer to a request to play a fault. */
    static String fault(FaultPlayer.Played came) {
        return switch (came) {
            case NOW -> "The fault is made now instead of at its time.";
            case NO_MORE -> "The fault was made already, or the load does not go on: nothing was done.";
            case ANOTHER_LASTS -> "Another fault is not over yet: nothing was done.";
        };
    }

    /** Notes an event of the run. */
    void event(Event event) {
        if (event.what() instanceof Finding.RateSet set) {
            asked = nextFrom < event.elapsedNanos() ? next : asked;
            next = set.perSecond();
            nextFrom = event.elapsedNanos();
        }
    }

    /** Returns the sentence before the first interval. */
    String before() {
        return "The load has not begun yet.";
    }

    /** Returns the sentence after another interval. */
    String after(Interval i) {
        counts = counts.plus(i.counts());
        if (i.elapsedNanos() > nextFrom) {
            asked = next;
            nextFrom = Long.MAX_VALUE;
        }
        List<String> parts = new ArrayList<>();
        double sent = i.seconds() > 0 ? i.sent() / i.seconds() : 0;
        double received = i.seconds() > 0 ? i.received() / i.seconds() : 0;
        if (shape.sends()) {
            parts.add(Amounts.rate(sent) + (asked > 0 ? " of " + Amounts.rate(asked) : ""));
        }
        if (shape.receives() && !(shape.sends() && Math.abs(received - sent) <= APART * sent)) {
            parts.add(shape.sends() ? "received " + Amounts.rate(received) : Amounts.rate(received));
        }
        String time = time(i.warmup() ? i.warmupSamples() : i.measured());
        if (!time.isEmpty()) {
            parts.add(time);
        }
        BrokerSample broker = i.broker();
        if (broker != null && broker.usage().cpuPercent() >= 0) {
            parts.add("broker " + Amounts.percent(broker.usage().cpuPercent()) + " of a core");
        }
        parts.add(wrong());
        parts.add(left(i));
        return (i.warmup() ? "Warm-up: " : i.phase().isEmpty() ? "" : i.phase() + ": ") + String.join(", ", parts);
    }

    private static String time(Map<Metric, Distribution> samples) {
        for (Metric metric : Metric.MAIN) {
            Distribution one = samples.get(metric);
            for (double percentile : PERCENTILES) {
                if (one != null && one.supports(percentile)) {
                    return metric.label() + " p" + (int) percentile + " "
                        + Amounts.time(one.nanosAt(percentile) / 1e3);
                }
            }
        }
        return "";
    }

    private String wrong() {
        List<String> all = new ArrayList<>();
        add(all, Count.FAILED, " failed");
        add(all, Count.DUPLICATES, " duplicated");
        add(all, Count.CORRUPT, " corrupt");
        return !all.isEmpty() ? String.join(", ", all) : shape.receives() ? "nothing failed or duplicated" : "nothing failed";
    }

    private void add(List<String> all, Count count, String words) {
        long value = counts.get(count);
        if (value > 0) {
            all.add(Amounts.count(value) + words);
        }
    }

    private String left(Interval i) {
        if (!shape.duration().isZero()) {
            return clock(Math.max(0, Math.round((shape.duration().toNanos() - i.elapsedNanos()) / 1e9))) + " left";
        }
        if (shape.messageCount() > 0) {
            long done = counts.get(shape.sends() ? Count.SENT : Count.RECEIVED);
            return Amounts.percent(Math.min(100, Math.floor(100.0 * done / shape.messageCount()))) + " of "
                + Amounts.count(shape.messageCount());
        }
        return clock(Math.round(i.elapsedNanos() / 1e9)) + " so far";
    }

    /** Formats seconds as {@code 4:12} or {@code 1:04:12}. */
    private static String clock(long seconds) {
        return seconds < 3600 ? String.format(Locale.ROOT, "%d:%02d", seconds / 60, seconds % 60)
            : String.format(Locale.ROOT, "%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }
}
