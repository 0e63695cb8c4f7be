package io.brokermeter.engine.run.send;

import java.util.List;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.pacing.RateChanges;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.run.EventLog;
import io.brokermeter.engine.run.Participants;
import io.brokermeter.engine.run.Timetable;
import io.brokermeter.engine.scenario.Load;
import org.jspecify.annotations.Nullable;

/** Changes the rate of the load of a run while it lasts, where that leaves every figure right. Any thread may call its methods. */
public final class RateControl {

    /**
     * The time from the call to the change, in nanoseconds: no thread that sends stands still for so long between looking at the schedule and
     * sending by it, unless its process does, which is reported.
     */
    private static final long LEAD = 1_000_000_000L;
    private static final int MOST = 100;
    private static final int PERCENT = 100;

    private final @Nullable RateChanges changes;
    private final boolean possible;
    private final double asked;
    private final Timetable timetable;
    private final EventLog events;
    private final Clock clock;
    private final List<SendLoop> loops;
    private long last = Long.MIN_VALUE;

    /** @param loops the sending threads of the load */
    public RateControl(Participants.Shared with, List<SendLoop> loops) {
        Plan plan = with.plan();
        List<Load> loads = loads(plan);
        this.changes = with.rates();
        this.possible = changes != null && isPossible(plan);
        this.asked = !possible ? Double.NaN
            : loads.stream().mapToDouble(load -> load instanceof Load.Constant constant ? constant.rate().perSecond()
                : load instanceof Load.Poisson poisson ? poisson.mean() : 0).sum();
        this.timetable = with.timetable();
        this.events = with.events();
        this.clock = with.clock();
        this.loops = loops;
    }

    /** Returns whether a change of the rate of a run of this plan would leave every figure right, if it is a run of one process. */
    public static boolean isPossible(Plan plan) {
        List<Load> loads = loads(plan);
        return !loads.isEmpty() && plan.scenario().phases().isEmpty() && plan.scenario().faults().isEmpty()
            && loads.stream().allMatch(load -> load instanceof Load.Constant || load instanceof Load.Poisson);
    }

    private static List<Load> loads(Plan plan) {
        return plan.producers().stream().filter(group -> group.counts() == null).map(ProducerGroup::spec).map(spec -> spec.load()).toList();
    }

    /** Returns the number of changes so far. */
    public int count() {
        return changes == null ? 0 : changes.count();
    }

    /** Changes the rate by some percent of what it is; called while the load lasts. Returns what became of that. */
    public synchronized RateChange change(int percent) {
        RateChanges all = changes;
        if (!possible || all == null) {
            return RateChange.NOT_OF_THIS_LOAD;
        }
        if (!timetable.hasBegun()) {
            return RateChange.TOO_LATE;
        }
        long moment = Math.max(clock.nanos() + LEAD, last + 1);
        if (timetable.loadEnd() != Timetable.NO_END && moment >= timetable.loadEnd()) {
            return RateChange.TOO_LATE;
        }
        if (all.count() >= MOST) {
            return RateChange.TOO_OFTEN;
        }
        last = moment;
        all.add(moment, PERCENT + percent, PERCENT);
        loops.forEach(SendLoop::onRateChanged);
        events.add(moment - timetable.start(), Event.Kind.NOTICE, new Finding.RateSet(percent, asked * all.factor()));
        return RateChange.DONE;
    }
}
