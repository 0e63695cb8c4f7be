package io.brokermeter.engine.run;

import java.util.Set;
import java.util.stream.Collectors;

import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.scenario.Recovery;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.spi.Destination;

/**
 * Finds out when consumers of several processes that are to end the load with their number of messages are not expected to end it, as
 * {@link Progress} does in one process: no process alone knows whether a delivery is due. Here deliveries are due when the broker has
 * confirmed sends since the last delivery, where consumers get all that is sent; where consumers have selectors, or nobody consumes from a
 * destination, it is not known. A connection may be lost for as long as it may take to restore it. Not thread-safe.
 */
public final class JointDeliveries {

    private final boolean known;
    /** The time without deliveries after which the load is ended, in nanoseconds. */
    private final long patience;
    /** The time from the start of the run until all consumers are to be open, in nanoseconds. */
    private final long opening;
    /** Whether the broker confirmed sends since the last delivery. */
    private boolean due;
    /** The end of the last interval that is no reason to give up, in nanoseconds since the epoch; the start of the first one before that. */
    private long movedAt;

    public JointDeliveries(Plan plan) {
        Scenario scenario = plan.scenario();
        Set<Destination> consumed = plan.consumers().stream().flatMap(group -> group.destinations().stream()).collect(Collectors.toSet());
        known = Progress.endsWithDeliveries(scenario) && plan.consumers().stream().allMatch(group -> group.side().selector() == null)
            && plan.producers().stream().allMatch(group -> consumed.containsAll(group.destinations()));
        Recovery recovery = scenario.limits().recovery();
        patience = Progress.patience(scenario) + (recovery == null ? 0 : recovery.limit().toNanos());
        opening = plan.consumers().stream().map(ConsumerGroup::side).map(side -> side.start().delay().plus(side.start().ramp()))
            .mapToLong(time -> time.toNanos()).max().orElse(0);
    }

    /**
     * Adds an interval of all processes that is over. Returns whether consumers got none of what is due to them for so long that the load
     * is to be ended.
     *
     * @param faulted whether a fault is in effect that will be undone
     */
    public boolean isGivenUp(Interval whole, boolean faulted) {
        boolean excused = whole.received() > 0 || faulted || whole.elapsedNanos() < opening;
        due = !excused && (due || whole.completed() > 0);
        if (!due) {
            movedAt = whole.endEpochNanos();
        } else if (movedAt == 0) {
            movedAt = whole.startEpochNanos();
        }
        return known && whole.endEpochNanos() - movedAt > patience;
    }
}
