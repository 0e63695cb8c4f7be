package io.brokermeter.engine.run;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.run.connect.Connections;
import io.brokermeter.engine.run.connect.Polling;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.engine.run.receive.Receiver;

/**
 * Closes what a run has opened, within a limit, on a thread of its own, so that a client that hangs cannot hold up the summary. Before
 * that, ends the threads that poll for consumers.
 */
final class Closing {

    /** The longest that one step may take, however many went before, and all steps together with a silent broker, in nanoseconds. */
    private static final long WITHIN = 15_000_000_000L;
    /**
     * The longest that all steps may take together while they make progress, in nanoseconds: hundreds of connections on a busy machine
     * take their time.
     */
    private static final long ALL_WITHIN = 60_000_000_000L;
    /**
     * The longest that one step may take with a silent broker, and all steps together in a {@linkplain RunState#isHurried hurried} run, in
     * nanoseconds.
     */
    private static final long SILENT_WITHIN = 2_000_000_000L;
    /** The longest that one step may take in a hurried run, in nanoseconds. */
    private static final long SOON = 1_000_000_000L;

    /** The longest wait for the other processes to close, in nanoseconds: less than one step of closing may take. */
    private static final long OTHERS_CLOSE_WITHIN = 10_000_000_000L;
    /** The longest wait for the other processes to close in a hurried run, in nanoseconds: half of what all of closing may take then. */
    private static final long OTHERS_CLOSE_SOON = 1_000_000_000L;
    /** The interval at which the run looks whether messages are still being processed, in nanoseconds. */
    private static final long LOOK_AT_PROCESSING = 5_000_000;
    /** The interval at which the run looks whether the other processes have closed, in nanoseconds. */
    private static final long LOOK_AT_OTHERS = 20_000_000;

    private final Connections connections;
    private final RunState state;
    private final Clock clock;
    private final Polling polling;

    Closing(Connections connections, Polling polling, RunState state, Clock clock) {
        this.connections = connections;
        this.polling = polling;
        this.state = state;
        this.clock = clock;
    }

    /**
     * Closes everything that the run has opened. Returns when everything is closed or the limit is reached.
     *
     * @param silent whether the broker was silent while an answer was due, so that closing gets little time
     * @param remove whether to remove subscriptions and destinations of the run
     * @param processing the longest that a message is still processed now, for which a client may wait, in nanoseconds; 0 for none
     * @param consumersClosed runs on the closing thread when all consumers are closed and destinations still exist
     * @return failures of closing; empty when there were none
     */
    List<Finding.Failure> close(boolean silent, boolean remove, long processing, Runnable consumersClosed) {
        List<Finding.Failure> troubles = new ArrayList<>();
        polling.stopAll();
        Thread closer = clock.start("brokermeter-close", () -> {
            List<Finding.Failure> found = connections.close(remove, consumersClosed);
            synchronized (troubles) {
                troubles.addAll(found);
            }
        });
        long began = clock.nanos();
        long movedAt = began;
        int steps = connections.stepsOfClosing();
        while (closer.isAlive()) {
            clock.join(closer, 20_000_000);
            long now = clock.nanos();
            if (connections.stepsOfClosing() != steps) {
                steps = connections.stepsOfClosing();
                movedAt = now;
            }
            long oneWithin = state.isHurried() ? SOON : (silent ? SILENT_WITHIN : WITHIN) + processing;
            long allWithin = state.isHurried() ? SILENT_WITHIN : (silent ? WITHIN : ALL_WITHIN) + processing;
            if (now - movedAt >= oneWithin || now - began >= allWithin) {
                break;
            }
        }
        synchronized (troubles) {
            List<Finding.Failure> all = new ArrayList<>(troubles);
            if (closer.isAlive() && !state.isHurried()) {
                all.add(new Finding.NotClosed(Math.max(1, (clock.nanos() - began) / 1_000_000_000L)));
            }
            return all;
        }
    }

    /**
     * Closes and removes what a run has opened that cannot begin; see {@link #close} for the limits.
     *
     * @param sends whether this process sends: who only receives may go on without it
     * @param remove whether to remove subscriptions and destinations of the run
     * @return what the user finds on the broker, or has to know about it; empty when there is nothing
     */
    List<Finding.Failure> giveUp(boolean sends, boolean remove) {
        // No load begins before all are ready, so nobody will use what this process created.
        if (!sends || !state.isAborted()) {
            connections.created().leave();
        }
        List<Finding.Failure> troubles = close(true, remove, 0, this::awaitOthersUnseen);
        return remove ? troubles : List.of();
    }

    /**
     * Returns how long a message that is being processed now may still take, in nanoseconds; 0 when there is none.
     *
     * @param longest the longest processing of a message, in nanoseconds
     */
    long processing(List<Receiver> receivers, long longest) {
        return isBusy(receivers, clock.nanos()) ? longest : 0;
    }

    private static boolean isBusy(List<Receiver> receivers, long moment) {
        return receivers.stream().anyMatch(receiver -> receiver.isBusyWithWhatCameUntil(moment));
    }

    /**
     * Waits until the messages that are being processed now are through: a message counts when it comes, and clients wait only some seconds
     * for a delivery that is under way. Called on the reporting thread before {@link #close}.
     *
     * @param longest the longest processing of a message, in nanoseconds
     */
    void awaitProcessing(List<Receiver> receivers, long longest) {
        long began = clock.nanos();
        long within = longest + 1_000_000_000L;
        while (!state.isHurried() && clock.nanos() - began < within && !Thread.currentThread().isInterrupted()
            && isBusy(receivers, began)) {
            clock.park(LOOK_AT_PROCESSING);
        }
    }

    /**
     * Waits until the consumers of all processes are closed, so that nothing that they still use is removed, and the broker is not asked
     * for messages that they still hold. Also bounded by the limits of closing. Called on the closing thread. One of several processes that
     * removes nothing, since its connection is lost, leaves what it created to the others and does not wait.
     *
     * @param remove whether this process removes subscriptions and destinations
     */
    void awaitOthers(RunCoordination coordination, boolean remove) {
        if (!remove) {
            // Told before this process counts as closed: that is when the others look at what they inherit.
            leaveToOthers(coordination);
            coordination.reached(RunCoordination.Step.CLOSED);
            return;
        }
        coordination.reached(RunCoordination.Step.CLOSED);
        awaitOthers(() -> coordination.mayPass(RunCoordination.Step.CLOSED));
        if (!coordination.mayPass(RunCoordination.Step.CLOSED)) {
            // The end of this process is known only when its files are written. Until then the others may have closed and inherited
            // nothing.
            leaveToOthers(coordination);
        }
    }

    /**
     * Gives the other processes of a run that does not begin a moment to close their consumers, where this process may remove what these
     * use: nobody tells any more when they are closed. Called on the closing thread.
     */
    private void awaitOthersUnseen() {
        if (connections.created().mayRemoveForAll()) {
            awaitOthers(() -> false);
        }
    }

    private void awaitOthers(BooleanSupplier closed) {
        long began = clock.nanos();
        // Reports between processes take a moment, so even a process in a hurry waits for the others.
        while (!closed.getAsBoolean() && !connections.created().isLeaving()
            && clock.nanos() - began < (state.isHurried() ? OTHERS_CLOSE_SOON : OTHERS_CLOSE_WITHIN)
            && !Thread.currentThread().isInterrupted()) {
            connections.waitsForOthers();
            clock.park(LOOK_AT_OTHERS);
        }
    }

    private void leaveToOthers(RunCoordination coordination) {
        coordination.leaves();
        connections.created().leave();
    }
}
