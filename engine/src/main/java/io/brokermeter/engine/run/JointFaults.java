package io.brokermeter.engine.run;

import java.util.List;
import java.util.function.Function;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.spi.Setting;
import org.jspecify.annotations.Nullable;

/**
 * The faults of a run in several processes, played by the coordinator of these processes, at moments of the clock that all share. No call
 * blocks; any thread may call.
 */
public final class JointFaults implements AutoCloseable {

    private final boolean any;
    private final RunState state = new RunState();
    private final EventLog events;
    private final FaultPlayer player;
    private @Nullable Thread ending;
    private boolean begun;
    private volatile List<Finding.Failure> failures = List.of();

    /**
     * Creates the player of faults, of which none begins before {@link #begin}.
     *
     * @param actor carries out the faults, and is not closed; null where there are none
     * @param names gives the name of a setting in sentences for the user
     */
    public JointFaults(List<Fault> faults, @Nullable FaultActor actor, Function<Setting, String> names) {
        Failures words = new Failures(names);
        any = !faults.isEmpty();
        events = new EventLog(state, words, Clock.SYSTEM, () -> {});
        player = new FaultPlayer(faults, actor, events, state, Clock.SYSTEM, words::text);
    }

    /** Returns whether there are any faults. */
    public boolean areAny() {
        return any;
    }

    /** Starts to play the faults, whose moments count from {@code startNanos}, the start of the run in nanoseconds since the epoch. */
    public synchronized void begin(long startNanos) {
        begun = true;
        events.begin(startNanos);
        player.begin(startNanos, startNanos);
    }

    /** Requests the end of the run: no further fault begins, and {@link #end} ends commands and gives up processes being started. */
    public void stop() {
        state.stop(0);
    }

    /** Requests an immediate end of the run: {@link #end} waits for nothing. */
    public void abort() {
        state.abort();
    }

    /** Starts to undo the faults in effect, since the load is over, which may take a while. Only the first call has an effect. */
    public synchronized void end() {
        if (ending == null) {
            ending = Thread.ofPlatform().daemon().name("brokermeter-faults").start(() -> failures = player.end(() -> {}));
        }
    }

    /** Returns whether {@link #end} has finished, or there is nothing to undo. */
    public synchronized boolean isOver() {
        return !any || !begun || ending != null && !ending.isAlive();
    }

    /** Returns whether a fault is in effect that will be undone at a moment of its own. */
    public boolean isInEffect() {
        return player.isInEffect();
    }

    /** Returns the failures of faults; empty before {@link #isOver}. */
    public List<Finding.Failure> failures() {
        return failures;
    }

    /** Removes and returns the oldest event that was not taken yet; null when there is none. */
    public @Nullable Event poll() {
        return events.poll();
    }

    /** Returns an event for each step of a fault that was done so far. */
    public List<Event> made() {
        return events.outages();
    }

    /** Aborts, and gives up faults that are not undone. */
    @Override
    public void close() {
        abort();
        if (!isOver()) {
            end();
        }
    }
}
