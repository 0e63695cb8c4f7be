package io.brokermeter.engine.run;

import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.run.connect.Connections;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.engine.run.receive.Receiver;
import io.brokermeter.engine.run.receive.ReplyReceiver;
import io.brokermeter.engine.run.send.Sender;
import io.brokermeter.engine.scenario.Scenario;

/**
 * The begin of a run: its connections, destinations, consumers and producers, in the order that loses nothing. Used by the reporting thread
 * only.
 */
final class Opening {

    private final Scenario scenario;
    private final RunCoordination coordination;
    private final Connections connections;
    private final Participants participants;
    private final RunLedger runLedger;
    private final Progress progress;
    private final Timetable timetable;
    private final RunState state;
    private final Clock clock;
    /** The groups of consumers of which one was opened or was to be. */
    private final Set<Participants.ReceivingGroup> opened = new HashSet<>();

    Opening(Scenario scenario, RunCoordination coordination, Connections connections, Participants participants, RunLedger runLedger,
            Progress progress, Timetable timetable, RunState state, Clock clock) {
        this.scenario = scenario;
        this.coordination = coordination;
        this.connections = connections;
        this.participants = participants;
        this.runLedger = runLedger;
        this.progress = progress;
        this.timetable = timetable;
        this.state = state;
        this.clock = clock;
    }

    /**
     * Connects, declares and opens all that is to be open before the load, each step when all processes of the run may take it.
     *
     * @param begin sets the start of the run; called here only for a run that sends nothing
     */
    void open(LongConsumer begin) throws RunFailure {
        connections.connect();
        meet(RunCoordination.Step.CONNECTED);
        await(coordination::mayDeclare);
        connections.declare();
        coordination.declared(connections.created().declared(), connections.created().made());
        runLedger.askBefore(connections);
        meet(RunCoordination.Step.DECLARED);
        if (!scenario.sends()) {
            begin.accept(coordination.start(clock.nanos()));
        }
        for (Participants.ReplyGroup group : participants.replying()) {
            for (ReplyReceiver receiver : group.receivers()) {
                connections.open(receiver.plan, group.plan(), receiver);
            }
        }
        for (Participants.ReceivingGroup group : participants.receiving()) {
            for (int i = 0; i < group.repliers().size(); i++) {
                connections.open(group.repliers().get(i), group.plan().consumers().get(i), group.plan());
            }
            if (group.start().isWithRun()) {
                openReceivers(group);
            } else if (group.plan().spec().durable()) {
                // A durable subscription gets what is sent before its consumers come, once the broker knows it.
                for (Receiver receiver : group.receivers()) {
                    connections.makeKnown(receiver.plan, group.plan(), receiver);
                }
            }
        }
        for (Participants.SendingGroup group : participants.sending()) {
            for (Sender sender : group.senders()) {
                connections.open(sender, group.plan());
            }
        }
        if (!scenario.sends() && !coordination.isAny()) {
            timetable.opened(clock.nanos());
            participants.begin(timetable);
        }
        if (coordination.isAny() && state.isAborted()) {
            throw new RunFailure(new Finding.StoppedConnecting());
        }
    }

    /** Waits before the load until all other processes have reached a step, too. */
    private void meet(RunCoordination.Step step) throws RunFailure {
        coordination.reached(step);
        await(() -> coordination.mayPass(step));
    }

    private void await(BooleanSupplier passed) throws RunFailure {
        while (!passed.getAsBoolean()) {
            if (state.isStopping()) {
                throw new RunFailure(new Finding.StoppedConnecting(), new InterruptedException());
            }
            clock.park(Run.LOOK_AT_OTHERS);
        }
    }

    /** Opens the consumers of a group; those that are not open yet, where others of the group could be opened before. */
    void openReceivers(Participants.ReceivingGroup group) throws RunFailure {
        boolean first = opened.add(group);
        if (first) {
            progress.groupOpened();
        }
        for (Receiver receiver : group.receivers()) {
            if (first || !connections.isOpen(receiver.plan, group.plan())) {
                connections.open(receiver.plan, group.plan(), receiver);
                progress.consumerOpened(clock.nanos());
                runLedger.opened(receiver.plan, participants);
            }
        }
    }
}
