package io.brokermeter.engine.run;

import java.util.List;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.run.connect.Connections;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.engine.scenario.Scenario;

/**
 * The end of a run after its drain: waits for running handlers, closes, and asks the broker what it still holds. Used by the reporting thread
 * only.
 */
final class RunEnd {

    private final Scenario scenario;
    private final RunCoordination coordination;
    private final Connections connections;
    private final Participants participants;
    private final RunLedger runLedger;
    private final EventLog events;
    private final RunState state;
    private final Closing closing;

    RunEnd(Scenario scenario, RunCoordination coordination, Connections connections, Participants participants, RunLedger runLedger,
            EventLog events, RunState state, Closing closing) {
        this.scenario = scenario;
        this.coordination = coordination;
        this.connections = connections;
        this.participants = participants;
        this.runLedger = runLedger;
        this.events = events;
        this.state = state;
        this.closing = closing;
    }

    /** Closes and removes what was opened by a run that cannot begin. Returns what the user has to know about it. */
    List<Finding.Failure> giveUp() {
        return closing.giveUp(scenario.sends(), !events.isConnectionLost());
    }

    /**
     * Returns whether no further delivery can arrive, so that waiting for running handlers ends. Of several processes none knows of one;
     * the wait is short for most.
     */
    private boolean isLastBatch() {
        return runLedger.quotasAreUsedUp()
            || scenario.sends() && participants.hasLedger() && runLedger.outstanding(participants.senders()) == 0;
    }

    /**
     * Closes everything, and removes what the run created; see {@link Closing#close} for the limits.
     *
     * @param silent whether the broker was silent while an answer was due, so that closing gets little time
     * @return failures of closing that fail the run
     */
    List<Finding.Failure> close(boolean silent) {
        state.enter(RunState.Stage.CLOSING);
        List<Finding.Failure> missing = connections.endRecovery();
        if (!events.isFatal()) {
            missing.forEach(events::notRestored);
        }
        boolean remove = !events.isConnectionLost();
        long longest = Math.min(scenario.longestWorkNanos(), coordination.longestProcessing());
        if (remove && !silent && isLastBatch()) {
            closing.awaitProcessing(participants.receivers(), longest);
        }
        long processing = events.isFatal() ? 0 : closing.processing(participants.receivers(), longest);
        List<Finding.Failure> troubles = closing.close(silent, remove, processing, () -> {
            closing.awaitOthers(coordination, remove);
            connections.created().takeOver(coordination.takenOver(), coordination.takenOverSubscriptions());
            if (remove && scenario.sends() && !state.isHurried()) {
                runLedger.askBroker(connections, runLedger.missing(participants.senders()));
            }
        });
        if (!remove) {
            return List.of();
        }
        troubles.stream().distinct().forEach(trouble -> events.add(Event.Kind.NOTICE, trouble));
        return troubles;
    }
}
