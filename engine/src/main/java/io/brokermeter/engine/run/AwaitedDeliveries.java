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
 * Detects that consumers whose message counts should end the load will not reach them: deliveries to them have been due for a minute, and
 * none came. Where a consumer takes longer than half a minute for a message, it is twice that time; where the broker holds messages back,
 * that time in addition.
 *
 * <p>A process that executes a run alone knows whether a delivery is due, see {@link Progress}. Of several processes none does; by their
 * intervals deliveries are due when the broker has confirmed sends since the last delivery, where consumers get all that is sent. Where
 * consumers have selectors, or nobody consumes from a destination, it is not known. A connection may be lost for as long as it may take to
 * restore it. Not thread-safe.
 */
public final class AwaitedDeliveries {

    /** Whether nothing but the number of messages that consumers are to take ends the load. */
    private final boolean decisive;
    /** Whether intervals say what is due. */
    private final boolean known;
    /** The time without deliveries after which the load is ended, in nanoseconds. */
    private final long patience;
    /** The time that it may take to restore a connection, in nanoseconds. */
    private final long recovery;
    /** The time from the start of the run until all consumers are to be open, in nanoseconds. */
    private final long opening;
    /** Whether the broker confirmed sends since the last delivery. */
    private boolean due;
    /** The last moment that was no reason to give up, in nanoseconds since the epoch; the start of the first interval before that. */
    private long movedAt;

    public AwaitedDeliveries(Plan plan) {
        Scenario scenario = plan.scenario();
        Set<Destination> consumed = plan.consumers().stream().flatMap(group -> group.destinations().stream()).collect(Collectors.toSet());
        decisive = scenario.length().isZero() && scenario.limitsReceives() && !scenario.limitsSends();
        known = plan.consumers().stream().allMatch(group -> group.spec().selector() == null)
            && plan.producers().stream().allMatch(group -> consumed.containsAll(group.destinations()));
        Recovery restoring = scenario.limits().recovery();
        recovery = restoring == null ? 0 : restoring.limit().toNanos();
        // It begins when a message is sent, so the time for which the broker holds messages back comes on top.
        patience = Math.max(Progress.GIVE_UP_AFTER, 2 * scenario.longestWorkNanos()) + scenario.longestDeliveryDelay().toNanos();
        opening = plan.consumers().stream().map(ConsumerGroup::spec).map(spec -> spec.start().delay().plus(spec.start().ramp()))
            .mapToLong(time -> time.toNanos()).max().orElse(0);
    }

    /** Returns whether nothing but the number of messages that consumers are to take ends the load. */
    boolean areDecisive() {
        return decisive;
    }

    /**
     * Returns whether none of the deliveries that are due came for so long that the load is to be ended.
     *
     * @param waiting whether deliveries are due, and neither has one come since the last call nor is there a passing cause
     */
    boolean isGivenUp(long now, boolean waiting) {
        movedAt = waiting ? movedAt : now;
        return decisive && now - movedAt > patience;
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
        movedAt = !due || !known ? whole.endEpochNanos() : movedAt == 0 ? whole.startEpochNanos() : movedAt;
        return decisive && whole.endEpochNanos() - movedAt > patience + recovery;
    }
}
