package io.brokermeter.reports.html;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.FaultCourse;
import io.brokermeter.engine.recording.Scorecard;
import io.brokermeter.engine.scenario.Fault;

/** Faults of a {@link MadeRun}. */
final class MadeFault {

    private MadeFault() {}

    /** Killed at 8.004 s, serving at 10.004 s; paused at 15 s for good. The scorecard is made up, each figure another one. */
    static void in(MadeRun run) {
        run.events = List.of(event(1, Fault.Action.KILL, Finding.FaultStep.BEGAN, 8.004),
            event(1, Fault.Action.KILL, Finding.FaultStep.ENDED, 10.004),
            event(2, Fault.Action.PAUSE, Finding.FaultStep.BEGAN, 15));
        run.scorecard =
            Scorecard.of(its -> {
                its.faultAt = 8.004;
                its.faultKnown = true;
                its.detect = 0.012;
                its.withoutSend = 2.5;
                its.withoutDelivery = 2.7;
                its.to95 = 2.6;
                its.catchUp = 0.75;
                its.longestWait = 2.55;
                its.rateBefore = 1000;
                its.attempts = 16;
                its.restored = 2;
                its.failed = 3;
                its.retried = 4;
                its.lost = 5;
                its.unaccounted = 6;
                its.unknown = 7;
                its.unknownDelivered = 8;
                its.duplicatesFlagged = 9;
                its.duplicatesUnflagged = 10;
                its.duplicatesResent = 11;
                its.outOfOrder = 12;
                its.course = course(25);
            });
    }

    /** Killed at 8.004 s and serving at 10.004 s; paused from 14 to 15 s. Each has times of its own. */
    static void twice(MadeRun run) {
        in(run);
        run.events = List.of(run.events.get(0), run.events.get(1), event(2, Fault.Action.PAUSE, Finding.FaultStep.BEGAN, 14),
            event(2, Fault.Action.PAUSE, Finding.FaultStep.ENDED, 15));
        run.scorecard =
            Scorecard.of(its -> {
                its.faultAt = 8.004;
                its.faultKnown = true;
                its.detect = 0.012;
                its.withoutSend = 2.5;
                its.withoutDelivery = 2.7;
                its.to95 = 2.6;
                its.catchUp = 0.75;
                its.longestWait = 2.55;
                its.rateBefore = 1000;
                its.attempts = 16;
                its.restored = 2;
                its.failed = 3;
                its.retried = 4;
                its.lost = 5;
                its.unaccounted = 6;
                its.unknown = 7;
                its.unknownDelivered = 8;
                its.duplicatesFlagged = 9;
                its.duplicatesUnflagged = 10;
                its.duplicatesResent = 11;
                its.outOfOrder = 12;
                its.course = course(25);
                its.fault = 1;
                its.further = List.of(new Scorecard.Further(2, 14, 0.2, 1.2, 1.3, 1.1, 0.4, 1.5, 1000, 13.9, 13.95));
            });
    }

    /** Killed at 8.004 s, and that was it. */
    static void forGood(MadeRun run) {
        run.events = List.of(event(1, Fault.Action.KILL, Finding.FaultStep.BEGAN, 8.004));
        run.scorecard = Scorecard.of(its -> {
            its.faultAt = 8.004;
            its.faultKnown = true;
            its.detect = 0.012;
            its.withoutSend = Double.POSITIVE_INFINITY;
            its.withoutDelivery = Double.POSITIVE_INFINITY;
            its.to95 = Double.POSITIVE_INFINITY;
            its.catchUp = Double.POSITIVE_INFINITY;
            its.longestWait = 0.5;
            its.rateBefore = 1000;
            its.attempts = 16;
            its.failed = 3;
            its.retried = 4;
            its.lost = 5;
            its.unaccounted = 6;
            its.unknown = 7;
            its.unknownDelivered = 8;
            its.duplicatesFlagged = 9;
            its.duplicatesUnflagged = 10;
            its.duplicatesResent = 11;
            its.outOfOrder = 12;
            its.course = course(90);
        });
    }

    /** Killed before anything was confirmed. */
    static void tooEarly(MadeRun run) {
        forGood(run);
        run.scorecard =
            Scorecard.of(its -> {
                its.faultAt = 8.004;
                its.faultKnown = true;
                its.detect = 0.012;
                its.withoutSend = Double.NaN;
                its.withoutDelivery = Double.NaN;
                its.to95 = Double.NaN;
                its.catchUp = Double.NaN;
                its.longestWait = 0.5;
                its.attempts = 16;
                its.failed = 3;
                its.retried = 4;
                its.lost = 5;
                its.unaccounted = 6;
                its.unknown = 7;
                its.unknownDelivered = 8;
                its.duplicatesFlagged = 9;
                its.duplicatesUnflagged = 10;
                its.duplicatesResent = 11;
                its.outOfOrder = 12;
                its.course = new FaultCourse(3, 0.1, course(90).cells(), Double.NaN, Double.NaN);
            });
    }

    private static Event event(int number, Fault.Action action, Finding.FaultStep step, double at) {
        return new Event((long) (at * 1e9), Event.Kind.FAULT, new Finding.FaultDone(number, action, "broker", step, at, at, "", null));
    }

    /** From 3 to 17 s, 20 messages in each 100 ms but for some from 8 s on. */
    private static FaultCourse course(int silent) {
        List<FaultCourse.Cell> cells = new ArrayList<>();
        for (int i = 0; i < 140; i++) {
            boolean none = i >= 50 && i < 50 + silent;
            cells.add(none ? new FaultCourse.Cell(0, 0, 5, 0) : new FaultCourse.Cell(20, 20, 0, 0.002));
        }
        return new FaultCourse(3, 0.1, cells, 8, 7.9);
    }
}
