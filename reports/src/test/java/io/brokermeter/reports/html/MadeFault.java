package io.brokermeter.reports.html;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.fault.FaultCourse;
import io.brokermeter.engine.recording.fault.FaultTimes;
import io.brokermeter.engine.recording.fault.Scorecard;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.reports.Made;

/** Faults of a {@link MadeRun}. */
final class MadeFault {

    private MadeFault() {}

    /**
     * Adds a kill at 8.004 s, after which the broker serves at 10.004 s, and a pause at 15 s without an end. Each figure of the made-up
     * scorecard has a different value.
     */
    static void in(MadeRun run) {
        run.events = List.of(event(1, Fault.Action.KILL, Finding.FaultStep.BEGAN, 8.004),
            event(1, Fault.Action.KILL, Finding.FaultStep.ENDED, 10.004),
            event(2, Fault.Action.PAUSE, Finding.FaultStep.BEGAN, 15));
        run.scorecard = Made.card(Made.killed(_ -> {}), its -> its.course = course(25));
    }

    /** Adds a kill at 8.004 s, after which the broker serves at 10.004 s, and a pause from 14 to 15 s. Each has times of its own. */
    static void twice(MadeRun run) {
        in(run);
        run.events = List.of(run.events.get(0), run.events.get(1), event(2, Fault.Action.PAUSE, Finding.FaultStep.BEGAN, 14),
            event(2, Fault.Action.PAUSE, Finding.FaultStep.ENDED, 15));
        run.scorecard = Made.card(Made.killed(its -> its.fault = 1), its -> {
            its.course = course(25);
            its.further = List.of(new FaultTimes(2, 14, 0.2, 1.2, 1.3, 1.1, 0.4, 1.5, 1000, 13.9, 13.95));
        });
    }

    /** Adds the faults of {@link #in}, but the first one in time is the second of the time line. */
    static void outOfOrder(MadeRun run) {
        in(run);
        run.events = List.of(event(2, Fault.Action.KILL, Finding.FaultStep.BEGAN, 8.004),
            event(2, Fault.Action.KILL, Finding.FaultStep.ENDED, 10.004),
            event(1, Fault.Action.PAUSE, Finding.FaultStep.BEGAN, 15));
    }

    /** Adds a kill at 8.004 s without a recovery. */
    static void forGood(MadeRun run) {
        run.events = List.of(event(1, Fault.Action.KILL, Finding.FaultStep.BEGAN, 8.004));
        run.scorecard = never(Double.POSITIVE_INFINITY, 1000, course(90));
    }

    /** Adds a kill at 8.004 s with a scorecard as if nothing was confirmed before it. */
    static void tooEarly(MadeRun run) {
        forGood(run);
        run.scorecard = never(Double.NaN, 0, new FaultCourse(3, 0.1, course(90).cells(), Double.NaN, Double.NaN));
    }

    /** Returns a scorecard whose times up to a recovery are all {@code times} seconds. */
    private static Scorecard never(double times, double rateBefore, FaultCourse course) {
        FaultTimes first = Made.killed(its -> {
            its.withoutSend = times;
            its.withoutDelivery = times;
            its.to95 = times;
            its.catchUp = times;
            its.longestWait = 0.5;
            its.rateBefore = rateBefore;
            its.sendsStopped = course.sendsStopped();
            its.deliveriesStopped = course.deliveriesStopped();
        });
        return Made.card(first, its -> {
            its.restored = 0;
            its.course = course;
        });
    }

    private static Event event(int number, Fault.Action action, Finding.FaultStep step, double at) {
        return new Event((long) (at * 1e9), Event.Kind.FAULT, new Finding.FaultDone(number, action, "broker", step, at, at, "", null));
    }

    /** Returns a course from 3 to 17 s with 20 messages in each cell of 100 ms, except {@code silent} cells from 8 s on. */
    private static FaultCourse course(int silent) {
        List<FaultCourse.Cell> cells = new ArrayList<>();
        for (int i = 0; i < 140; i++) {
            boolean none = i >= 50 && i < 50 + silent;
            cells.add(none ? new FaultCourse.Cell(0, 0, 5, 0) : new FaultCourse.Cell(20, 20, 0, 0.002));
        }
        return new FaultCourse(3, 0.1, cells, 8, 7.9);
    }
}
