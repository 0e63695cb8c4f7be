package io.brokermeter.engine.run.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.run.EventLog;
import io.brokermeter.engine.run.Failures;
import io.brokermeter.engine.run.RunState;
import io.brokermeter.engine.run.Timetable;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * Plays the faults of a run, each on a thread of its own, so that no fault waits for another, and no sender waits for a fault: for the
 * reporting thread of a run in one process, or for the coordinator of several, at moments of the clock that all share. Unless stated
 * otherwise, methods are called by that thread and do not block.
 */
public final class FaultPlayer implements AutoCloseable {

    /** The longest that the end of the load waits for faults that are being done or undone, other than commands, in nanoseconds. */
    private static final long END_WITHIN = 120_000_000_000L;
    /** The time within which a command that took too long was ended, in nanoseconds. */
    private static final long COMMAND_ENDED = 30_000_000_000L;
    private static final long LOOK = 50_000_000;

    /** What became of the wish to play a fault now. */
    public enum Played {
        NOW,
        /** It is not the next one: it has begun by itself, or the load does not go on. */
        NO_MORE,
        /** A fault that has begun is not over, which the scenario may not permit beside this one. */
        ANOTHER_LASTS
    }

    /**
     * A fault that has not begun.
     *
     * @param number its number in the scenario, from 1
     */
    public record Next(int number, Fault fault) {}

    /** Each at the moment at which it is to begin: that of the scenario, unless somebody wanted it before. */
    private final List<Fault> faults;
    private final @Nullable FaultActor actor;
    private final EventLog events;
    private final RunState state;
    private final Clock clock;
    private final Function<Throwable, String> words;
    private final List<Thread> threads = new ArrayList<>();
    private final List<Finding.Failure> failures = new ArrayList<>();
    /** Numbers of the faults that have begun, or are about to; guarded by this. */
    private final BitSet begun = new BitSet();
    /** Number of faults, other than commands, that are being made, or in effect and will be undone at a moment of their own. */
    private final AtomicInteger lasting = new AtomicInteger();
    private volatile long start;
    /** The moment from which the moments of faults are counted, in nanoseconds since the epoch. */
    private volatile long origin;
    private volatile boolean ending;
    /** When {@link #end()} was called, in nanoseconds since the epoch. */
    private long endedAt;
    private boolean over;
    /** Whether the faults are given up, since the run is stopping; used by the thread that ends them. */
    private boolean givenUp;

    /**
     * Creates a player with events of its own, for the coordinator of several processes.
     *
     * @param actor carries out the faults, and is not closed; null where there are none
     * @param names gives the name of a setting in sentences for the user
     */
    public FaultPlayer(List<Fault> faults, @Nullable FaultActor actor, Function<Setting, String> names) {
        this(faults, actor, new RunState(), new Failures(names));
    }

    private FaultPlayer(List<Fault> faults, @Nullable FaultActor actor, RunState state, Failures words) {
        this(faults, actor, new EventLog(state, words, Clock.SYSTEM, () -> {}), state, Clock.SYSTEM, words::text);
    }

    /** @param words gives the text of an exception, in one line */
    public FaultPlayer(List<Fault> faults, @Nullable FaultActor actor, EventLog events, RunState state, Clock clock,
            Function<Throwable, String> words) {
        if (!faults.isEmpty() && actor == null) {
            throw new IllegalArgumentException("A scenario with faults needs who makes them");
        }
        this.faults = new CopyOnWriteArrayList<>(faults);
        this.actor = actor;
        this.events = events;
        this.state = state;
        this.clock = clock;
        this.words = words;
    }

    /** Returns whether there are any faults. */
    public boolean areAny() {
        return !faults.isEmpty();
    }

    /** Starts to play the faults, whose moments count from {@code startNanos}, the start of the run in nanoseconds since the epoch. */
    public void begin(long startNanos) {
        events.begin(startNanos);
        begin(startNanos, startNanos);
    }

    /** Requests the end of the run: no further fault begins, and the end ends commands and gives up processes being started. Any thread. */
    public void stop() {
        state.stop(0);
    }

    /** Requests an immediate end of the run: the end waits for nothing. Any thread. */
    public void abort() {
        state.abort();
    }

    /**
     * Starts a thread for each fault when the load begins. The times of events count from {@code startNanos}, the moments of faults from
     * {@code countedFrom}; both are nanoseconds since the epoch.
     */
    public synchronized void begin(long startNanos, long countedFrom) {
        start = startNanos;
        origin = countedFrom;
        for (int i = 0; i < faults.size(); i++) {
            int number = i + 1;
            threads.add(clock.start("brokermeter-fault-" + number, () -> play(number)));
        }
    }

    /** Returns the fault that comes next; null if there is none, or the load does not go on. Any thread may call this. */
    public synchronized @Nullable Next next() {
        if (threads.isEmpty() || ending || state.isStopping() || clock.nanos() < origin) {
            return null;
        }
        return IntStream.rangeClosed(1, faults.size()).filter(number -> !begun.get(number)).boxed()
            .min(Comparator.comparing(number -> faults.get(number - 1).at()))
            .map(number -> new Next(number, faults.get(number - 1))).orElse(null);
    }

    /**
     * Plays the next fault now instead of at its moment; later ones keep theirs, so that none of them comes before this one is over. Any
     * thread may call this.
     *
     * @param number number of the fault that is meant
     */
    public synchronized Played playNow(int number) {
        Next next = next();
        if (next == null || next.number() != number) {
            return Played.NO_MORE;
        }
        Fault planned = next.fault();
        if (!isCommand(planned) && isInEffect()) {
            return Played.ANOTHER_LASTS;
        }
        Fault advanced = planned.beginningAt(Duration.ofNanos(clock.nanos() - origin));
        faults.set(number - 1, advanced);
        events.add(Event.Kind.NOTICE, new Finding.FaultAdvanced(number, planned.action(), planned.target(), seconds(advanced.at()),
            seconds(planned.at())));
        claim(number);
        clock.unpark(threads.get(number - 1));
        return Played.NOW;
    }

    /** Has a fault begun, whoever comes first, and returns it. */
    private synchronized Fault claim(int number) {
        Fault fault = faults.get(number - 1);
        if (!begun.get(number)) {
            begun.set(number);
            lasting.addAndGet(isCommand(fault) ? 0 : 1);
        }
        return fault;
    }

    /**
     * Undoes the faults in effect when the load is over, and blocks until {@link #isOver}.
     *
     * @param meanwhile what the calling thread does repeatedly while it waits
     * @param whileFaultCommandsRun what it does when only commands are left to wait for, which may take minutes
     * @return the failures of all faults
     */
    public List<Finding.Failure> end(Runnable meanwhile, Runnable whileFaultCommandsRun) {
        end();
        boolean commandsOnly = false;
        for (Thread next = awaited(); next != null; next = awaited()) {
            if (!commandsOnly && isCommand(faults.get(threads.indexOf(next)))) {
                commandsOnly = true;
                whileFaultCommandsRun.run();
            }
            clock.join(next, LOOK);
            (commandsOnly ? whileFaultCommandsRun : meanwhile).run();
        }
        isOver();
        return failures();
    }

    /** Starts to undo the faults in effect, since the load is over, which may take a while. Only the first call has an effect. */
    public void end() {
        if (!ending) {
            endedAt = clock.nanos();
            ending = true;
            threads.forEach(clock::unpark);
        }
    }

    /** Returns whether all that was begun is over: it is undone, takes too long, or the run was aborted. */
    public boolean isOver() {
        if (threads.isEmpty()) {
            return true;
        }
        if (!over && ending && awaited() == null) {
            over = true;
            for (int i = 0; i < threads.size(); i++) {
                if (threads.get(i).isAlive() && !state.isAborted()) {
                    Fault fault = faults.get(i);
                    failed(i + 1, fault, Finding.FaultStep.ENDED, "it was not done within " + within(fault) / 1_000_000_000L + " s");
                }
            }
        }
        return over;
    }

    /** Returns the thread of a fault that is to be waited for; of a command only where there are no others. Null for none. */
    private @Nullable Thread awaited() {
        if (!givenUp && actor != null && !threads.isEmpty() && state.isStopping()) {
            actor.giveUp();
            givenUp = true;
        }
        Thread command = null;
        for (int i = 0; i < threads.size() && !state.isAborted(); i++) {
            if (threads.get(i).isAlive() && clock.nanos() - endedAt < within(faults.get(i))) {
                if (!isCommand(faults.get(i))) {
                    return threads.get(i);
                }
                command = command == null ? threads.get(i) : command;
            }
        }
        return command;
    }

    private static boolean isCommand(Fault fault) {
        return fault.action().subject() == Fault.Subject.COMMAND;
    }

    /** Returns the longest wait for a fault from the end of the load on, in nanoseconds: a command may take the time that it was given. */
    private long within(Fault fault) {
        return isCommand(fault) ? Math.max(END_WITHIN, origin + fault.latestEnd().toNanos() + COMMAND_ENDED - endedAt) : END_WITHIN;
    }

    /**
     * Returns whether a fault, other than a command, is being made, or in effect and will be undone at a moment of its own; until then the
     * run may stall. Any thread.
     */
    public boolean isInEffect() {
        return lasting.get() > 0;
    }

    /** Returns the failures of faults so far. */
    public List<Finding.Failure> failures() {
        synchronized (failures) {
            return List.copyOf(failures);
        }
    }

    /** Removes and returns the oldest event that was not taken yet; null when there is none. For players with events of their own. */
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
        end();
        isOver();
    }

    private void play(int number) {
        boolean due = await(() -> origin + faults.get(number - 1).at().toNanos());
        Fault fault = claim(number);
        FaultActor act = Objects.requireNonNull(actor);
        boolean ends;
        try {
            ends = isMade(number, fault, act, due) && fault.hasEnd();
            if (ends && fault.end() != null) {
                end(number, fault, act, fault.end());
                ends = false;
            }
        } finally {
            lasting.addAndGet(isCommand(fault) ? 0 : -1);
        }
        if (ends) {
            end(number, fault, act, null);
        }
    }

    private boolean isMade(int number, Fault fault, FaultActor act, boolean due) {
        // The fault may have become due just as the load ended, and must not break the drain.
        if (!due || ending || state.isStopping()) {
            events.add(Event.Kind.NOTICE, new Finding.FaultNotDue(number, fault.action(), fault.target(), seconds(fault.at())));
            return false;
        }
        return step(number, fault, Finding.FaultStep.BEGAN, fault.at(), () -> act.begin(number, fault));
    }

    private void end(int number, Fault fault, FaultActor act, @Nullable Duration due) {
        boolean inTime = await(() -> due == null ? Timetable.NO_END : origin + due.toNanos());
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
            events.add(at, Event.Kind.FAULT, new Finding.FaultDone(number, fault.action(), fault.target(), step,
                asked == null ? Double.NaN : seconds(asked) + (origin - start) / 1e9, at / 1e9, effect.detail(), effect.exitStatus()));
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

    /** Waits until a moment, which may come earlier meanwhile. Returns false when the load is over before it. */
    private boolean await(LongSupplier moment) {
        while (!ending) {
            long left = moment.getAsLong() - clock.nanos();
            if (left <= 0) {
                return true;
            }
            clock.park(left);
        }
        return clock.nanos() >= moment.getAsLong();
    }

    private static double seconds(Duration time) {
        return time.toNanos() / 1e9;
    }
}
