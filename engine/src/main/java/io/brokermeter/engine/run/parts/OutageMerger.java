package io.brokermeter.engine.run.parts;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.Stream;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.MessageFates;
import io.brokermeter.engine.recording.fault.Scorecard;
import io.brokermeter.engine.recording.lane.Activity;
import org.jspecify.annotations.Nullable;

/** Merges what the processes of a run recorded of faults and lost connections into one scorecard. Used by one thread. */
final class OutageMerger {

    /** The largest difference of clocks for a scorecard, whose figures are milliseconds, in nanoseconds. */
    private static final double MOST_APART = 1_000_000;

    private final List<Activity.Trace> traces = new ArrayList<>();
    private final List<Event> faults = new ArrayList<>();

    /** Makes the fates of messages of the numbers that were retried and that a client sent again. */
    interface Fates {
        MessageFates of(long retried, long resent);
    }

    /** Adds what happened in each millisecond in a process. */
    void add(Activity.Trace trace) {
        traces.add(trace);
    }

    /** Adds the faults that the coordinator of the processes made. */
    void faults(List<Event> made) {
        faults.addAll(made);
    }

    /**
     * Returns the scorecard of all processes; null where nothing happened, or a part is unknown.
     *
     * @param seen what each process that came to its end recorded
     * @param lost number of lost processes
     * @param load returns the load up to its end, in nanoseconds since the epoch
     */
    @Nullable Scorecard scorecard(List<ShareResult.Outages> seen, int lost, ResultMerger.ClockBound clocks, LongFunction<Scorecard.Load> load,
            Fates fates, List<Finding.Notice> notices) {
        List<Event> events = Stream.concat(faults.stream(), seen.stream().flatMap(one -> one.events().stream()))
            .sorted(Comparator.comparingLong(Event::elapsedNanos)).toList();
        if (events.isEmpty()) {
            return null;
        }
        if (lost > 0 || clocks.apart() > MOST_APART) {
            notices.add(new Finding.ScorecardLeftOut(lost, clocks.apart() / 1e3));
            return null;
        }
        return Scorecard.of(Activity.Trace.sum(traces), load.apply(seen.stream().mapToLong(ShareResult.Outages::loadOver).max().orElse(0)),
            events,
            seen.stream().map(ShareResult.Outages::reconnects).reduce(Scorecard.Reconnects.NONE, Scorecard.Reconnects::and),
            fates.of(seen.stream().mapToLong(ShareResult.Outages::retried).sum(),
                seen.stream().mapToLong(ShareResult.Outages::resent).sum()));
    }
}
