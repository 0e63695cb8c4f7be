package io.brokermeter.engine.run;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.zip.GZIPOutputStream;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.health.HealthMonitor;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.pacing.RateChanges;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.Selections;
import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Recording;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.lane.Activity;
import io.brokermeter.engine.run.connect.BrokerWatch;
import io.brokermeter.engine.run.connect.Connections;
import io.brokermeter.engine.run.connect.DepthWatch;
import io.brokermeter.engine.run.connect.GroupConnection;
import io.brokermeter.engine.run.connect.Polling;
import io.brokermeter.engine.run.faults.FaultActor;
import io.brokermeter.engine.run.faults.FaultPlayer;
import io.brokermeter.engine.run.judge.ThresholdWatch;
import io.brokermeter.engine.run.parts.ResultMerger;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.engine.run.parts.RunShare;
import io.brokermeter.engine.run.parts.ShareResult;
import io.brokermeter.engine.run.receive.Receiver;
import io.brokermeter.engine.run.send.RateChange;
import io.brokermeter.engine.run.send.SendLoop;
import io.brokermeter.engine.scenario.Recovery;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * A run, from the first connection to the last. {@link #execute} is called once and reports on the calling thread; {@link #stop} and
 * {@link #abort} may be called by any thread, including a signal handler.
 */
public final class Run implements Interruptible {

    /** The longest time that the run waits for its threads to be ready, in nanoseconds. */
    private static final long READY_WITHIN = 5_000_000_000L;
    private static final long HEALTH_WITHIN_MILLIS = 2_000;
    /** The time from the readiness of everything to the first due time, in nanoseconds: enough for every thread to wake for it. */
    private static final long LEAD = 10_000_000;
    /** The interval at which the run looks at what other processes have done, in nanoseconds; their news also wake the waiting thread. */
    static final long LOOK_AT_OTHERS = 20_000_000;
    /** The interval at which a number of deliveries that ends the run is read, in nanoseconds; single deliveries are not signalled. */
    private static final long LOOK_AT_COUNT = 10_000_000;

    private final Plan plan;
    private final RunShare part;
    private final RunCoordination coordination;
    private final RunObserver observer;
    private final @Nullable BrokerWatch watch;
    private final Clock clock;
    private final RunState state = new RunState();
    private final Failures failures;
    private final EventLog events;
    private final Timetable timetable;
    private final Recording recording;
    private final @Nullable Activity activity;
    private final Connections connections;
    private final RunLedger runLedger;
    private final Participants participants;
    private final Progress progress;
    private final ThresholdWatch thresholds;
    private final Opening opening;
    private final LoadEnd loadEnd;
    private final RunEnd end;
    private final FaultPlayer faults;
    private final Map<SendLoop, Thread> threads = new LinkedHashMap<>();
    /** The failures of the run that are known before the counts are judged. */
    private final List<Finding.Failure> broken = new ArrayList<>();
    private volatile @Nullable Thread reporter;
    private @Nullable ShareResult known;

    /**
     * Creates a run of which this process executes one part, or all of it.
     *
     * @param part the share of this process, and the other processes
     * @param watch watches the broker, or null; the run uses it and does not close it
     * @param actor makes the faults, or null for a scenario without any; the run uses it and does not close it
     * @param names returns the name of a setting in sentences of drivers
     */
    public Run(Plan plan, RunShare part, RunObserver observer, @Nullable BrokerWatch watch, @Nullable FaultActor actor,
            Function<Setting, String> names) {
        this(plan, part, observer, watch, actor, names, Clock.SYSTEM, null);
    }

    /** Creates a run in one process, without faults, whose broker is not watched and whose sentences name settings as a scenario file does. */
    public Run(Plan plan, RunObserver observer) {
        this(plan, RunShare.whole(plan), observer, null, null, Setting::key);
    }

    /** @param rates changes of the rate, for {@link #changeRate}; null for a run whose rate nobody may change */
    public Run(Plan plan, RunShare part, RunObserver observer, @Nullable BrokerWatch watch, @Nullable FaultActor actor,
            Function<Setting, String> names, Clock clock, @Nullable RateChanges rates) {
        this.plan = plan;
        this.part = part;
        this.coordination = part.coordination();
        Scenario scenario = plan.scenario();
        this.observer = observer;
        this.watch = watch;
        this.clock = clock;
        this.failures = new Failures(names);
        this.events = new EventLog(state, failures, clock, this::wakeReporter);
        this.timetable = new Timetable(scenario);
        int groups = plan.producers().size() + plan.consumers().size();
        boolean many = plan.producers().size() > 1 || plan.consumers().size() > 1;
        this.recording = new Recording(timetable.warmups() > 0, timetable.phaseCount(), groups, many);
        Recovery recovery = scenario.limits().recovery();
        this.activity = recovery == null && scenario.faults().isEmpty() && !coordination.makeFaults() ? null : new Activity();
        Polling polling = new Polling(clock);
        this.connections =
            new Connections(plan, part.share(), new GroupConnection.Shared(events, failures, state, clock, polling, recovery));
        Selections selections = Selections.of(plan);
        this.runLedger = new RunLedger(plan, selections, part.run(), coordination, clock);
        this.participants = new Participants(new Participants.Shared(plan, part.share(), timetable, recording, runLedger, selections,
            part.run(), failures, events, activity, clock, rates, this::wakeReporter));
        this.faults = new FaultPlayer(coordination.faults(scenario), actor, events, state, clock, failures::text);
        this.progress = new Progress(plan, coordination, participants, runLedger, connections, events,
            () -> faults.isInEffect() || coordination.isFaulted());
        this.thresholds = new ThresholdWatch(scenario, timetable, participants, recording, events, progress, state);
        this.opening =
            new Opening(scenario, coordination, connections, participants, runLedger, progress, timetable, state, clock);
        this.loadEnd =
            new LoadEnd(scenario, coordination, participants, runLedger, progress, timetable, events, state, clock);
        this.end = new RunEnd(scenario, coordination, connections, participants, runLedger, events, state,
            new Closing(connections, polling, state, clock));
        coordination.whenNews(this::wakeReporter);
    }

    /**
     * Ends the run cleanly: stops sending, drains and reports the summary. If draining has begun, it is ended: consumers take no more
     * messages, and messages that did not come are not called lost. If draining is over, closing is hurried. {@code signalNumber}
     * determines the exit code; 0 for none.
     */
    @Override
    public void stop(int signalNumber) {
        state.stop(signalNumber);
        if (state.isHurried()) {
            participants.receivers().forEach(Receiver::leave);
        }
        wakeReporter();
    }

    /** Returns whether connections are made and the load has begun; before that there is nothing to end cleanly. */
    @Override
    public boolean hasBegun() {
        return state.isAtLeast(RunState.Stage.LOADING);
    }

    /** Changes the rate of the load by some percent of what it is, from a second later on, which the result says. Any thread may call this. */
    public RateChange changeRate(int percent) {
        return state.isLoading() ? participants.rate().change(percent) : RateChange.TOO_LATE;
    }

    /** Returns who plays the faults of the run. */
    public FaultPlayer faults() {
        return faults;
    }

    /** Ends the run at once, without a drain. */
    @Override
    public void abort() {
        state.abort();
        participants.receivers().forEach(Receiver::leave);
        wakeReporter();
    }

    /**
     * Ends this process's part of the run at once, as {@link #abort} does, while the other processes go on as far as this one knows: it
     * removes nothing that they use.
     */
    public void leave() {
        connections.created().leave();
        abort();
    }

    private void wakeReporter() {
        clock.unpark(reporter);
    }

    /**
     * Executes the run, and returns its result. Blocks until everything is closed.
     *
     * @throws RunFailure if the run could not begin; nothing is left open then, and what it created is removed as at the end of a run. One
     *     of several processes removes only what it alone uses, since it cannot wait for others that may still be about to begin, unless it
     *     was aborted
     */
    public RunResult execute() throws RunFailure {
        reporter = Thread.currentThread();
        try (HealthMonitor health = new HealthMonitor(clock)) {
            Thread healthStart = Thread.ofPlatform().daemon().name("brokermeter-health").start(health::start);
            try {
                opening.open(this::begin);
            } catch (RunFailure e) {
                e.add(end.giveUp());
                throw e;
            } catch (RuntimeException e) {
                end.giveUp();
                throw e;
            }
            joinQuietly(healthStart);
            state.enter(RunState.Stage.LOADING);
            Reporting reporting =
                new Reporting(plan.scenario().limits(), timetable, participants, recording, events, progress, health, depths(), watch,
                    observer, clock, thresholds);
            return load(health, reporting);
        }
    }

    /** Returns what this process knows of a run that it has executed with others. */
    public ShareResult part() {
        if (known == null) {
            throw new IllegalStateException("The run was not executed.");
        }
        return known;
    }

    /**
     * Writes the sets of the ledger for {@link ResultMerger}, and what happened in each millisecond where that was recorded. Called once the
     * run was executed.
     */
    public void writeLedger(OutputStream to) throws IOException {
        GZIPOutputStream packed = new GZIPOutputStream(to, 1 << 16);
        DataOutputStream out = new DataOutputStream(packed);
        runLedger.write(out, participants.senders());
        if (activity != null) {
            activity.trace().write(out);
        }
        out.flush();
        packed.finish();
    }

    private DepthWatch depths() {
        return !part.isFirst(plan) ? DepthWatch.none(failures, clock) : DepthWatch.of(plan, failures, clock, notice -> {
            // The end of a run has its own event.
            if (!events.isFatal() && !state.isStopping()) {
                events.notice(notice);
            }
        });
    }

    private static void joinQuietly(Thread thread) {
        try {
            thread.join(HEALTH_WITHIN_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sets the run's start, from which all its other moments follow. */
    private void begin(long startNanos) {
        timetable.begin(startNanos);
        events.begin(startNanos);
        if (activity != null) {
            activity.begin(startNanos);
        }
        if (plan.scenario().sends() || coordination.isAny()) {
            // Otherwise what comes belongs to the first phase until all consumers are open.
            participants.begin(timetable);
        }
    }

    private RunResult load(HealthMonitor health, Reporting reporting) {
        Drain drain =
            new Drain(plan.scenario(), coordination, connections, participants, runLedger, state, events, progress, clock, reporting,
                broken::add);
        startSending(health, reporting);
        faults.begin(timetable.start(), timetable.countedFrom());
        LateConsumers late = new LateConsumers(participants, events, clock, timetable.start(), plan.scenario().limits().recovery(),
            () -> connections.lost() == 0, opening::openReceivers);
        PhaseEvents phases = new PhaseEvents(plan.scenario().phases(), timetable, events, clock);
        awaitEndOfLoad(late, phases, reporting);
        long loadEnded = loadEnd.reached();
        // This thread may have been held up while the last phase began and ended.
        phases.addUntil(Math.min(loadEnded, timetable.loadEnd()) - 1);
        // Producers that publish counts go on in any case, so they do not matter here.
        boolean cutShort = !participants.isLoadSent();
        // Read before closing: a connection that is lost and not restored when the run ends has not ended the load.
        boolean cutByLoss = events.isConnectionLost();
        if (!loadEnd.isComplete()) {
            late.leaveOut();
        }
        // Consumers that an outage kept from opening in time begin with a backlog as well.
        boolean backlog = loadEnd.hasBacklog(loadEnded) || late.isAny();
        coordination.reached(RunCoordination.Step.SENT);
        state.enter(RunState.Stage.DRAINING);
        participants.load().forEach(group -> group.loops().forEach(SendLoop::stop));
        // Faults are undone first: a broker that does not answer would hold up the drain, and a send that is under way.
        broken.addAll(faults.end(reporting::report, () -> whileFaultCommandsRun(late, backlog, drain, reporting)));
        drain.joinSenders(threads, false);
        if (!backlog) {
            // The drain belongs to no figure, unless consumers that start after the load do their work in it, in whatever process.
            reporting.endMeasuring();
        }
        long now = clock.nanos();
        long sendingEnded = participants.load().stream().mapToLong(group -> group.sendingEnd(now)).max()
            .orElse(plan.scenario().sends() ? loadEnded : now);
        if (!state.isAborted()) {
            startLateConsumers(late, reporting);
            drain.await(RunCoordination.Step.DRAINED, loadEnded, backlog);
        }
        coordination.reached(RunCoordination.Step.DRAINED);
        // Counts are published until everything that is counted has come; the last of them have still to be delivered.
        participants.loops().forEach(SendLoop::stop);
        drain.joinSenders(threads, true);
        if (!participants.counting().isEmpty() && !state.isAborted()) {
            coordination.reached(RunCoordination.Step.COUNTED);
            drain.await(RunCoordination.Step.COUNTS_DRAINED, loadEnded, false);
            coordination.reached(RunCoordination.Step.COUNTS_DRAINED);
        }
        reporting.endMeasuring();
        BrokerFigures broker = reporting.endWatching();
        ResultBuilder builder =
            new ResultBuilder(plan.scenario(), timetable, participants, recording, reporting, failures, state, events, progress, drain,
                runLedger);
        Health figures = builder.judge(health, loadEnded, cutShort, sendingEnded, broker);
        long finished = drain.lookForMore();
        broken.addAll(end.close(drain.isSilent()));
        // A thread that is still in a send or commit now has nothing left to break, so it may be interrupted.
        threads.values().stream().filter(Thread::isAlive).forEach(Thread::interrupt);
        ShareResult.Outages outages = activity == null ? null
            : builder.outages(Math.min(loadEnd.here(loadEnded), timetable.loadEnd()), cutByLoss);
        reporting.reportRest(() -> known = completed(builder.part(part.share().number(), builder.verdictCounts(broken, figures.schedule()),
            sendingEnded, finished, connections, broker, figures, outages), reporting, broker));
        RunResult result = part().result();
        Exception unreported = reporting.finish(result);
        return unreported == null ? result : result.with(new Finding.Broken(Finding.Step.FINISH_REPORT, "", failures.text(unreported)));
    }

    /** Returns what this process knows of the run with the result of that: of the run, or of the part of one of several processes. */
    private ShareResult completed(ShareResult own, Reporting reporting, @Nullable BrokerFigures broker) {
        ResultMerger merger = new ResultMerger(plan, runLedger, timetable, reporting.sections(), part.share(), own,
            participants.senders(), activity == null ? null : activity.trace());
        ResultMerger.Merged merged = coordination.result(merger, thresholds.missed(), broker);
        merged.notices().forEach(events::notice);
        return own.with(merged.result().with(its -> {
            its.signal = state.signal();
            its.network = reporting.network();
        }));
    }

    /**
     * Starts the sending threads, waits until each has done the work that it does only once, and then fixes the start of the run: none of
     * that work may make the first messages late.
     */
    private void startSending(HealthMonitor health, Reporting reporting) {
        for (SendLoop loop : participants.loops()) {
            threads.put(loop, clock.start("brokermeter-sender-" + threads.size(), () -> loop.run(health::threadEnds)));
        }
        long limit = clock.nanos() + READY_WITHIN;
        while (!participants.loops().stream().allMatch(SendLoop::ready) && clock.nanos() < limit) {
            clock.park(1_000_000);
        }
        coordination.reached(RunCoordination.Step.READY);
        while (!coordination.mayPass(RunCoordination.Step.READY) && !state.isStopping() && !events.isFatal()) {
            clock.park(LOOK_AT_OTHERS);
        }
        if (timetable.warmups() == 0) {
            // After the wait for others, which belongs to no figure, and before the start, which the reading must not make late.
            reporting.beginMeasuring();
        }
        Counts before = participants.counts();
        if (plan.scenario().sends()) {
            begin(coordination.mayPass(RunCoordination.Step.READY) ? coordination.start(clock.nanos() + LEAD) : clock.nanos() + LEAD);
        }
        reporting.begin(before);
    }

    /**
     * Waits until the load is over, of all processes and with their faults undone, and opens meanwhile the consumers whose start delay is
     * over.
     */
    private void awaitEndOfLoad(LateConsumers late, PhaseEvents phases, Reporting reporting) {
        while (!loadEnd.isReached()) {
            if (coordination.loadEnded() != 0 && !loadEnd.hasBacklog(loadEnd.reached())) {
                // Nothing but faults is waited for, and a command of one may take minutes.
                reporting.endMeasuring();
            }
            phases.addThoseDue();
            reporting.report();
            late.openThoseDue();
            long due = Math.min(late.nextDue(), phases.nextDue());
            waitForNews(Math.min(due, plan.scenario().sends() ? Timetable.NO_END : timetable.loadEnd()), reporting);
        }
    }

    /**
     * Work of the reporting thread while fault commands are still running after the load. Consumers whose start delay is over begin with the
     * backlog, as during the load, once no connection is lost; those that start after the producers wait for the commands, as the drain
     * does, since a command may be what brings the broker back. The idle time after all work is in no figure.
     */
    private void whileFaultCommandsRun(LateConsumers late, boolean backlog, Drain drain, Reporting reporting) {
        reporting.report();
        if (!state.isStopping() && !events.isFatal()) {
            late.openThoseDue();
        }
        if (!backlog || !plan.scenario().consumesAfterProducers() && !late.isAny() && drain.isOver()) {
            reporting.endMeasuring();
        }
    }

    /** Opens the consumers that start after the load, and returns when the last of them is open. */
    private void startLateConsumers(LateConsumers late, Reporting reporting) {
        late.producersEnded();
        if (late.isAny() && !state.isStopping()) {
            events.notice(new Finding.ConsumersStart());
        }
        while (late.isAny() && !state.isStopping() && !events.isFatal()) {
            late.openThoseDue();
            reporting.report();
            waitForNews(late.nextDue(), reporting);
        }
    }

    /** Sleeps until something is due to be reported, something wakes this thread, or {@code deadline}, in nanoseconds since the epoch. */
    private void waitForNews(long deadline, Reporting reporting) {
        long now = clock.nanos();
        long next = Math.min(deadline, reporting.nextDue());
        if (plan.scenario().limitsReceives()) {
            next = Math.min(next, now + LOOK_AT_COUNT);
        }
        if (next > now && !events.isFatal() && !state.isStopping()) {
            clock.park(next - now);
        }
    }
}
