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
 * The faults of a run that several processes make together, played by whoever lets them run, at moments of the clock that all share. No call blocks;
 * any thread may call.
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
     * Faults that have not begun.
     *
     * @param actor makes them, and is not closed; null where there are none
     * @param names how sentences name settings
     */
    public JointFaults(List<Fault> faults, @Nullable FaultActor actor, Function<Setting, String> names) {
        Failures words = new Failures(names);
        any = !faults.isEmpty();
        events = new EventLog(state, words, Clock.SYSTEM, () -> {});
        player = new FaultPlayer(faults, actor, events, state, Clock.SYSTEM, words::text);
    }

    /** Whether there are any. */
    public boolean areAny() {
        return any;
    }

    /** The run starts. */
    public synchronized void begin(long startNanos) {
        begun = true;
        events.begin(startNanos);
        player.begin(startNanos, startNanos);
    }

    /** The run is to end: ends commands, and gives up what is being started. */
    public void stop() {
        state.stop(0);
    }

    /** The run ends at once: nothing is waited for. */
    public void abort() {
        state.abort();
    }

    /** The load is over: what is in effect is undone, which may take a while. Again: nothing. */
    public synchronized void end() {
        if (ending == null) {
            ending = Thread.ofPlatform().daemon().name("brokermeter-faults").start(() -> failures = player.end(() -> {}));
        }
    }

    /** Whether everything is undone, or there was nothing to do. */
    public synchronized boolean isOver() {
        return !any || !begun || ending != null && !ending.isAlive();
    }

    /** Whether one is in effect that will be undone. */
    public boolean isInEffect() {
        return player.isInEffect();
    }

    /** What went wrong; once it is over. */
    public List<Finding.Failure> failures() {
        return failures;
    }

    /** What happened and was not taken yet, the oldest first; null when there is nothing. */
    public @Nullable Event poll() {
        return events.poll();
    }

    /** The faults that were made so far, each of their steps. */
    public List<Event> made() {
        return events.outages();
    }

    /** Gives up what is not undone. */
    @Override
    public void close() {
        abort();
        if (!isOver()) {
            end();
        }
    }
}
