package io.brokermeter.engine.run;

import java.time.Duration;

import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.engine.scenario.Scenario;

/** Knows whether and when the load of a run is over, here and in all its processes. Used by the reporting thread only. */
final class LoadEnd {

    private final Scenario scenario;
    private final RunCoordination coordination;
    private final Participants participants;
    private final RunLedger runLedger;
    private final Progress progress;
    private final Timetable timetable;
    private final EventLog events;
    private final RunState state;
    private final Clock clock;
    /** The time at which the load of this process was over, which may be before that of others; 0 until then. */
    private long overHere;

    LoadEnd(Scenario scenario, RunCoordination coordination, Participants participants, RunLedger runLedger, Progress progress,
            Timetable timetable, EventLog events, RunState state, Clock clock) {
        this.scenario = scenario;
        this.coordination = coordination;
        this.participants = participants;
        this.runLedger = runLedger;
        this.progress = progress;
        this.timetable = timetable;
        this.events = events;
        this.state = state;
        this.clock = clock;
    }

    /** Returns when the load of this process was over, in nanoseconds since the epoch; {@code otherwise} while it is not. */
    long here(long otherwise) {
        return overHere == 0 ? otherwise : overHere;
    }

    /** Returns whether the load is over, in all processes of the run and with their faults undone. Also reports what counts here. */
    boolean isReached() {
        // Looked at before it is told: a number that is reached while others are told is told the next time, and not missed.
        boolean areQuotasUsedUp = runLedger.quotasAreUsedUp();
        runLedger.reportQuotaUse();
        if (coordination.isLoadOver()) {
            // Requested here, where the drain has not begun, so that it does not cut the drain.
            state.stop(0);
        }
        if (state.isStopping() || events.isFatal() || areQuotasUsedUp || progress.isGivenUp()) {
            return true;
        }
        if (!(scenario.sends() ? participants.isLoadSent() : clock.nanos() >= timetable.loadEnd())) {
            return false;
        }
        overHere = overHere == 0 ? clock.nanos() : overHere;
        coordination.reached(RunCoordination.Step.SENT);
        return coordination.mayPass(RunCoordination.Step.SENT);
    }

    /** Returns when the load was over, of all processes where that is known: the current time, or an earlier one after a wait for faults. */
    long reached() {
        long all = coordination.loadEnded();
        long now = clock.nanos();
        return all == 0 ? now : Math.clamp(all, Math.min(overHere, now), now);
    }

    /** Returns whether all that was to be sent was sent, and nothing ended the load before. */
    boolean isComplete() {
        return participants.isLoadSent() && !state.isStopping() && !runLedger.quotasAreUsedUp();
    }

    /** Returns whether consumers of this process or another one start only after the load. */
    boolean hasBacklog(long loadEnded) {
        return scenario.consumesAfter(Duration.ofNanos(loadEnded - timetable.start()), isComplete());
    }
}
