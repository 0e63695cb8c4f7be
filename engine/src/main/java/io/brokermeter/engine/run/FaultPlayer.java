package io.brokermeter.engine.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.scenario.Fault;
import org.jspecify.annotations.Nullable;

/**
 * Plays the faults of a scenario on the time line of a run, each on a thread of its own, so that no fault waits for another, and no sender
 * waits for a fault. {@link #begin} and {@link #end} are called by the reporting thread.
 */
final class FaultPlayer {

    /** The longest that the end of the load waits for faults that are being done or undone, other than commands, in nanoseconds. */
    private static final long END_WITHIN = 120_000_000_000L;
    /** The time within which a command that took too long was ended, in nanoseconds. */
    private static final long COMMAND_ENDED = 30_000_000_000L;
    private static final long LOOK = 50_000_000;

    private final List<Fault> faults;
    private final @Nullable FaultActor actor;
    private final EventLog events;
    private final RunState state;
    private final Clock clock;
    private final Function<Throwable, String> words;
    private final List<Thread> threads = new ArrayList<>();
    private final List<Finding.Failure> failures = new ArrayList<>();
    /** Number of faults that are in effect and will be undone at a moment of their own. */
    private final AtomicInteger lasting = new AtomicInteger();
    private volatile long start;
    /** The moment from which the moments of faults are counted, in nanoseconds since the epoch. */
    private volatile long origin;
    private volatile boolean ending;
    /** Whether the faults are given up, since the run is stopping; used by the thread that ends them. */
    private boolean givenUp;

    /** @param words gives the text of an exception, in one line */
    FaultPlayer(List<Fault> faults, @Nullable FaultActor actor, EventLog events, RunState state, Clock clock,
            Function<Throwable, String> words) {
        if (!faults.isEmpty() && actor == null) {
            throw new IllegalArgumentException("A scenario with faults needs who makes them");
        }
        this.faults = List.copyOf(faults);
        this.actor = actor;
        this.events = events;
        this.state = state;
        this.clock = clock;
        this.words = words;
    }

    /**
     * Starts a thread for each fault when the load begins. The times of events count from {@code startNanos}, the moments of faults from
     * {@code countedFrom}; both are nanoseconds since the epoch.
     */
    void begin(long startNanos, long countedFrom) {
        start = startNanos;
        origin = countedFrom;
        for (int i = 0; i < faults.size(); i++) {
            int number = i + 1;
            Fault fault = faults.get(i);
            threads.add(clock.start("brokermeter-fault-" + number, () -> play(number, fault)));
        }
    }

    /**
     * Undoes the faults in effect when the load is over, and returns when that is done, takes too long, or the run is aborted.
     *
     * @param meanwhile what the calling thread does repeatedly while it waits
     * @return the failures of all faults
     */
    List<Finding.Failure> end(Runnable meanwhile) {
        return end(meanwhile, meanwhile);
    }

    /**
     * Does as {@link #end(Runnable)}.
     *
     * @param besideCommands what the calling thread does repeatedly when only commands are left to wait for, which may take minutes
     */
    List<Finding.Failure> end(Runnable meanwhile, Runnable besideCommands) {
        ending = true;
        threads.forEach(clock::unpark);
        long from = clock.nanos();
        await(false, from, meanwhile);
        if (threads.stream().anyMatch(Thread::isAlive)) {
            besideCommands.run();
        }
        await(true, from, besideCommands);
        for (int i = 0; i < threads.size(); i++) {
            if (threads.get(i).isAlive() && !state.isAborted()) {
                Fault fault = faults.get(i);
                failed(i + 1, fault, Finding.FaultStep.ENDED, "it was not done within " + within(fault, from) / 1_000_000_000L + " s");
            }
        }
        synchronized (failures) {
            return List.copyOf(failures);
        }
    }

    /** Waits for the end of all commands, or of all other faults. */
    private void await(boolean commands, long from, Runnable meanwhile) {
        giveUpIfStopping();
        for (int i = 0; i < threads.size(); i++) {
            Thread thread = threads.get(i);
            Fault fault = faults.get(i);
            long within = within(fault, from);
            while (isCommand(fault) == commands && thread.isAlive() && clock.nanos() - from < within && !state.isAborted()) {
                giveUpIfStopping();
                clock.join(thread, LOOK);
                meanwhile.run();
            }
        }
    }

    private static boolean isCommand(Fault fault) {
        return fault.action().subject() == Fault.Subject.COMMAND;
    }

    /** Returns the longest wait for a fault from the end of the load on, in nanoseconds: a command may take the time that it was given. */
    private long within(Fault fault, long loadEnd) {
        return isCommand(fault) ? Math.max(END_WITHIN, origin + fault.latestEnd().toNanos() + COMMAND_ENDED - loadEnd) : END_WITHIN;
    }

    /** Returns whether a fault is in effect that will be undone at a moment of its own; until then the run may stall. Any thread. */
    boolean isInEffect() {
        return lasting.get() > 0;
    }

    private void giveUpIfStopping() {
        if (!givenUp && actor != null && !threads.isEmpty() && state.isStopping()) {
            actor.giveUp();
            givenUp = true;
        }
    }

    private void play(int number, Fault fault) {
        // The fault may have become due just as the load ended, and must not break the drain.
        if (!await(origin + fault.at().toNanos()) || ending || state.isStopping()) {
            events.add(Event.Kind.NOTICE, new Finding.FaultNotDue(number, fault.action(), fault.target(), seconds(fault.at())));
            return;
        }
        FaultActor act = Objects.requireNonNull(actor);
        if (!step(number, fault, Finding.FaultStep.BEGAN, fault.at(), () -> act.begin(number, fault)) || !fault.hasEnd()) {
            return;
        }
        Duration due = fault.end();
        if (due == null || isCommand(fault)) {
            end(number, fault, act, due);
            return;
        }
        lasting.incrementAndGet();
        try {
            end(number, fault, act, due);
        } finally {
            lasting.decrementAndGet();
        }
    }

    private void end(int number, Fault fault, FaultActor act, @Nullable Duration due) {
        boolean inTime = await(due == null ? Timetable.NO_END : origin + due.toNanos());
        boolean isCommand = isCommand(fault);
        if (inTime || isCommand || fault.isUndoneByEnd()) {
            step(number, fault, Finding.FaultStep.ENDED, inTime && !isCommand ? due : null, () -> act.end(number, fault));
        } else {
            events.add(Event.Kind.NOTICE, new Finding.FaultNotUndone(number, fault.action(), fault.target(),
                seconds(Objects.requireNonNull(due))));
        }
    }

    private interface Step {
        FaultActor.Effect take() throws Exception;
    }

    private boolean step(int number, Fault fault, Finding.FaultStep step, @Nullable Duration asked, Step action) {
        try {
            FaultActor.Effect effect = action.take();
            long at = effect.epochNanos() - start;
            events.add(at, Event.Kind.FAULT, Finding.FaultDone.of(its -> {
                its.number = number;
                its.action = fault.action();
                its.target = fault.target();
                its.step = step;
                its.askedSeconds = asked == null ? Double.NaN : seconds(asked) + (origin - start) / 1e9;
                its.effectiveSeconds = at / 1e9;
                its.detail = effect.detail();
                its.exitStatus = effect.exitStatus();
            }));
            // The exit status of a command that was ended with the run says nothing.
            if (effect.exitStatus() != null && effect.exitStatus() != 0 && !state.isStopping()) {
                failed(number, fault, step, "its exit status is " + effect.exitStatus()
                    + (effect.detail().isEmpty() ? "" : ", " + effect.detail()));
                return false;
            }
            return true;
        } catch (Exception | Error e) {
            if (!state.isAborted()) {
                failed(number, fault, step, words.apply(e));
            }
            return false;
        }
    }

    private void failed(int number, Fault fault, Finding.FaultStep step, String cause) {
        Finding.FaultFailed failure = new Finding.FaultFailed(number, fault.action(), fault.target(), step, cause);
        synchronized (failures) {
            failures.add(failure);
        }
        events.add(Event.Kind.ERROR, failure);
    }

    /** Waits until a moment. Returns false when the load is over before it. */
    private boolean await(long moment) {
        while (!ending) {
            long left = moment - clock.nanos();
            if (left <= 0) {
                return true;
            }
            clock.park(left);
        }
        return clock.nanos() >= moment;
    }

    private static double seconds(Duration time) {
        return time.toNanos() / 1e9;
    }
}
