package io.brokermeter.engine.run.parts;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.scenario.measure.Metric;
import org.jspecify.annotations.Nullable;

/** Decides whether times from one process to another are kept in a result, by how far the clocks of the two may be apart. */
final class OneWayTimes {

    private OneWayTimes() {}

    /**
     * Returns a function that leaves out times from one process to another if they say more about clocks than about messages.
     *
     * @param due transfer times of messages that were due in the measured part; null for none
     * @param overdue transfer times of messages that were due before it; null for none
     * @param notices gets what the user should know about these times
     */
    static Function<Map<Metric, Distribution>, Map<Metric, Distribution>> believed(ResultMerger.ClockBound clocks,
            @Nullable Distribution due,
            @Nullable Distribution overdue, List<Finding.Notice> notices) {
        // All may be overdue.
        Distribution transfers = due != null && due.count() > 0 ? due : overdue;
        if (clocks.nanos() <= 0 || transfers == null || transfers.count() == 0) {
            return times -> times;
        }
        if (clocks.isBelieved(transfers)) {
            notices.add(new Finding.OneWayBound(clocks.nanos() / 1e3));
            return times -> times;
        }
        notices.add(new Finding.OneWayLeftOut(clocks.nanos() / 1e3, transfers.nanosAt(50) / 1e3));
        return times -> {
            Map<Metric, Distribution> kept = new LinkedHashMap<>(times);
            kept.replaceAll((metric, all) -> metric.isOneWay() ? Distribution.sum(List.of()) : all);
            return kept;
        };
    }
}
