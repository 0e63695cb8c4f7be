package io.brokermeter.trials.agents;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.AwaitedDeliveries;
import io.brokermeter.engine.run.Interruptible;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.run.connect.BrokerWatch;
import io.brokermeter.engine.run.faults.FaultPlayer;
import io.brokermeter.engine.run.judge.EndingThresholds;
import io.brokermeter.engine.run.parts.IntervalMerger;
import io.brokermeter.engine.run.parts.ResultMerger;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.engine.run.parts.ShareResult;
import io.brokermeter.engine.run.parts.StepBarrier;
import io.brokermeter.engine.run.receive.Quotas;
import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.document.JsonText;
import io.brokermeter.reports.json.RecordJson;
import io.brokermeter.trials.worker.LineCoordination;
import io.brokermeter.trials.worker.WorkerOrder;
import io.brokermeter.trials.worker.WorkerProgress;
import org.jspecify.annotations.Nullable;

/**
 * Conducts one run on several agents for their coordinator: gives each its share, leads them from step to step together, merges their
 * intervals, and produces one result at the end. {@link #execute} works on the calling thread, which alone calls the observer; all other
 * methods may be called from any thread and, but for {@link #heard}, do not block.
 */
public final class Conductor implements Interruptible {

    /**
     * The credentials of the coordinator.
     *
     * @param version the version of this tool
     * @param clocks addresses of the coordinator's clock for agents on other machines, by {@link AgentInfo#member}
     * @param token the token of agents that this coordinator started, empty for others
     */
    public record Credentials(String version, Map<String, ClockAccess> clocks, String token) {

        /** Returns the version only, which is no secret. */
        @Override
        public String toString() {
            return version;
        }
    }

    private static final long POLL_MILLIS = 20;
    /** The time from the readiness of all to the first due time, in nanoseconds: enough for the news to reach every worker. */
    private static final long LEAD = 250_000_000;

    private final AgentsTask task;
    private final Credentials own;
    private final List<AgentInRun> seats;
    private final Agent.Post post;
    private final RunObserver observer;
    private final MeasuredBroker broker;
    private final EventQueue events = new EventQueue();
    private final StepBarrier rendezvous;
    private final IntervalMerger intervals;
    private final EndingThresholds thresholds;
    private final Quotas quotas;
    private final AwaitedDeliveries deliveries;
    private final FaultPlayer faults;
    private final AgentTimeouts timeouts;
    private final List<Finding.Failure> failures = new ArrayList<>();
    /** What was reported as of all agents. */
    private final Set<Finding> common = new HashSet<>();
    private LineCoordination.News news = LineCoordination.News.NONE;
    private boolean observerFailed;
    /** Whether the load of all workers ends before it was sent completely. */
    private boolean over;
    private boolean aborted;
    private int signal;
    private long start;
    /** When the loads of all were over, in nanoseconds of the run's clock; 0 as long as they are not. */
    private long loadEnded;
    /** Whether all are ready. When nothing is sent, their consumers open after the start, and until then no worker ends cleanly. */
    private volatile boolean begun;
    private Map<Integer, Integer> subscriptionHeirs = Map.of();

    /**
     * Creates a run that has not begun.
     *
     * @param agents the agents, by their shares
     * @param observer receives what all agents do together, on the thread that conducts
     * @param watch watches the broker, or null; used and not closed
     * @param faults the faults of the run; ended with it
     */
    public Conductor(AgentsTask task, Credentials own, Map<Share, AgentInfo> agents, Agent.Post post, RunObserver observer,
            @Nullable BrokerWatch watch, FaultPlayer faults) {
        this.faults = faults;
        this.task = task;
        this.own = own;
        this.post = post;
        this.observer = observer;
        this.broker = new MeasuredBroker(watch);
        this.seats = AgentInRun.seats(agents, task.files());
        this.rendezvous = new StepBarrier(seats.stream().map(AgentInRun::number).collect(Collectors.toCollection(TreeSet::new)));
        this.thresholds = new EndingThresholds(task.plan().scenario());
        this.quotas = new Quotas(task.plan());
        this.deliveries = new AwaitedDeliveries(task.plan());
        this.intervals = new IntervalMerger(task.plan().scenario().limits().interval().toNanos());
        this.timeouts = new AgentTimeouts(task.plan().scenario());
    }

    // ---- from any thread ----

    /** Returns whether there is a load, which can be ended cleanly. */
    @Override
    public boolean hasBegun() {
        return begun;
    }

    /** Ends the run cleanly; {@code number} is 0 for no signal. */
    @Override
    public void stop(int number) {
        events.add(() -> {
            signal = Math.max(signal, number);
            timeouts.endBy(EpochClock.nanos());
            faults.stop();
            tellAll(WorkerOrder.STOP + number);
        });
    }

    /** Sets another time for closing and files; called before {@link #execute}. */
    void within(Duration other) {
        timeouts.within(other);
    }

    /** Ends the run at once. */
    @Override
    public void abort() {
        events.add(() -> {
            aborted = true;
            faults.abort();
            tellAll(WorkerOrder.ABORT);
        });
    }

    /** Handles a message of a member of the cluster. Blocks while much of what was heard waits to be handled. */
    public void heard(String member, String text) {
        events.add(text.length(), () -> seat(member).ifPresent(agent -> hear(agent, text)));
    }

    /**
     * Handles the departure of a member of the cluster.
     *
     * @param how the end of a sentence
     */
    public void left(String member, String how) {
        events.add(() -> seat(member).filter(agent -> !agent.isOver()).ifPresent(agent -> lose(agent, how)));
    }

    private Optional<AgentInRun> seat(String member) {
        return seats.stream().filter(agent -> agent.agent.member().equals(member)).findFirst();
    }

    // ---- on the calling thread ----

    /**
     * Executes the run. Blocks until all files have arrived.
     *
     * @throws RunFailure when the run could not begin, or nothing is known of it
     */
    public RunResult execute() throws RunFailure {
        try {
            seats.forEach(agent -> send(agent, new Message.Order(task.run(), own.version,
                task.whole().with(its -> {
                    its.share = agent.share;
                    its.zero = EpochClock.zero();
                    its.faulted = faults.areAny();
                }),
                agent.agent.sameClock() ? null : own.clocks.get(agent.agent.member()), own.token)));
            long began = System.nanoTime();
            while (!seats.stream().allMatch(AgentInRun::isOver) || !areFaultsOver()) {
                Runnable event = events.poll(POLL_MILLIS);
                if (event != null) {
                    event.run();
                }
                requireBegin(System.nanoTime() - began);
                decide();
                report();
            }
            return joined();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RunFailure(new Finding.StoppedConnecting());
        } finally {
            events.close();
            faults.close();
            seats.stream().filter(agent -> agent.stage != AgentInRun.Stage.HOME)
                .forEach(agent -> send(agent, new Message.Cancel(task.run())));
        }
    }

    private void hear(AgentInRun agent, String text) {
        if (agent.isOver()) {
            return;
        }
        try {
            switch (Message.read(text)) {
                case Message.Accepted accepted when isOwn(accepted.run()) && agent.stage == AgentInRun.Stage.ASKED ->
                    agent.stage = AgentInRun.Stage.RUNNING;
                case Message.Refused refused when isOwn(refused.run()) -> fail(agent, refused.reason());
                case Message.Said said when isOwn(said.run()) -> said(agent, JsonText.read(said.line()));
                case Message.Ended ended when isOwn(ended.run()) -> ended(agent, ended);
                case Message.Piece piece when isOwn(piece.run()) -> agent.inbox.take(piece);
                case Message.AllSent all when isOwn(all.run()) -> home(agent, all);
                // An agent whose worker has ended stays until its files have arrived.
                case Message.Leaving leaving when isOwn(leaving.run()) && agent.isPresent() -> leaving(agent);
                case Message.Clock clock when isOwn(clock.run()) -> clock(agent, clock);
                default -> {
                    // of another run
                }
            }
        } catch (IllegalArgumentException e) {
            lose(agent, "said something that cannot be read");
        } catch (IOException e) {
            lose(agent, "sent files that are not complete: " + e.getMessage());
        }
    }

    private boolean isOwn(String run) {
        return run.equals(task.run());
    }

    private void said(AgentInRun agent, Map<String, @Nullable Object> line) {
        if (line.get("reached") instanceof String step) {
            agent.step = RunCoordination.Step.valueOf(step);
            rendezvous.reached(agent.number(), agent.step);
        } else if (line.get("declared") != null) {
            LineCoordination.Declared declared = RecordJson.of(LineCoordination.Declared.class, JsonText.map(line.get("declared")));
            rendezvous.declared(agent.number(), declared.all(), declared.made());
        } else if (line.get("opened") instanceof Number at) {
            thresholds.opened(at.longValue());
        } else if (line.get("leaves") != null) {
            waitsNoLonger(agent);
        } else if (line.get("took") != null) {
            quotas.took(agent.number(), RecordJson.of(LineCoordination.Took.class, JsonText.map(line.get("took"))).byGroup());
        } else if (line.get("owes") != null) {
            rendezvous.owes(agent.number(), RecordJson.of(RunCoordination.Balance.class, JsonText.map(line.get("owes"))));
            return;
        }
        Interval part = WorkerProgress.interval(line);
        Event event = WorkerProgress.event(line);
        if (part != null) {
            intervals.add(agent.number(), part);
            if (part.received() > 0 && loadEnded != 0) {
                timeouts.drains(EpochClock.nanos());
            }
        } else if (event != null) {
            happened(agent, event);
        }
    }

    /** Reports an event of an agent. In what happens everywhere at the same moment, the first to report it stands for all. */
    private void happened(AgentInRun agent, Event event) {
        if (event.kind() != Event.Kind.PHASE && !(event.what() instanceof Finding.ConsumersStart)) {
            tell(new Event(event.elapsedNanos(), event.kind(), new Finding.OfAgent(agent.name(), event.what())));
        } else if (common.add(event.what())) {
            tell(event);
        }
        if (event.kind() == Event.Kind.ERROR && !task.goesOn() && !rendezvous.mayPass(RunCoordination.Step.SENT)) {
            endLoad();
        }
    }

    private void ended(AgentInRun agent, Message.Ended ended) throws IOException {
        String failure = ended.failure();
        if (failure == null) {
            agent.stage = AgentInRun.Stage.ENDED;
            waitsNoLonger(agent);
        } else if (outlivesLosses()) {
            lose(agent, "has no worker any more: " + failure);
        } else {
            fail(agent, failure);
        }
    }

    private void waitsNoLonger(AgentInRun agent) {
        agent.leftEarly = rendezvous.ended(agent.number());
        replaceGone();
    }

    /** Has the others do without agents that are gone. */
    private void replaceGone() {
        quotas.left(where(one -> one.mayTake(loadEnded != 0)).stream().map(one -> one.share).toList());
        subscriptionHeirs = AgentInRun.subscriptionHeirs(task.plan().consumers(), seats);
    }

    private void clock(AgentInRun agent, Message.Clock clock) {
        agent.clockOffset = clock.offset();
        agent.clockBound = clock.bound();
        if (clock.sentence() != null) {
            tell(event(Event.Kind.NOTICE, new Finding.OfAgent(agent.name(), new Finding.Said(clock.sentence()))));
        }
    }

    /** Records why an agent failed before the run began, which therefore does not take place. */
    private void fail(AgentInRun agent, String why) {
        agent.stage = AgentInRun.Stage.LOST;
        agent.how = why;
        failures.add(new Finding.AgentFailed(agent.name(), why));
    }

    private void home(AgentInRun agent, Message.AllSent all) throws IOException {
        agent.inbox.requireAll(all.files());
        try {
            agent.part = RecordJson.read(ShareResult.class, Files.readString(agent.inbox.directory().resolve(WorkerOrder.PART)));
        } catch (NoSuchFileException e) {
            throw new IOException("what it knows of the run is not among them", e);
        }
        agent.stage = AgentInRun.Stage.HOME;
        send(agent, new Message.Home(task.run()));
    }

    private void leaving(AgentInRun agent) {
        if (task.goesOn()) {
            lose(agent, "was ended by its user");
            send(agent, new Message.Tell(task.run(), WorkerOrder.LEAVE));
            send(agent, new Message.Cancel(task.run()));
        } else {
            Finding.AgentLost lost = new Finding.AgentLost(agent.name(), "was ended by its user");
            failures.add(lost);
            tell(event(Event.Kind.ERROR, lost));
            endLoad();
        }
    }

    private void lose(AgentInRun agent, String how) {
        if (agent.stage == AgentInRun.Stage.LOST) {
            return;
        }
        if (!outlivesLosses()) {
            fail(agent, "it " + how);
            return;
        }
        agent.stage = AgentInRun.Stage.LOST;
        agent.how = how;
        rendezvous.lost(agent.number());
        replaceGone();
        Finding.AgentLost lost = new Finding.AgentLost(agent.name(), how);
        failures.add(lost);
        tell(event(Event.Kind.ERROR, lost));
        if (!task.goesOn()) {
            endLoad();
        }
    }

    /** Returns whether the run can go on without an agent, also while the consumers of a run that sends nothing open. */
    private boolean outlivesLosses() {
        return begun || start != 0 && task.goesOn() && signal == 0 && !aborted;
    }

    /** @throws RunFailure when the run cannot begin */
    private void requireBegin(long elapsed) throws RunFailure {
        if (outlivesLosses()) {
            timeouts.late(seats, start, EpochClock.nanos())
                .forEach(agent -> lose(agent, "did not end in the time that the run may take"));
            return;
        }
        if (failures.isEmpty()) {
            timeouts.notReady(seats, elapsed, rendezvous.declaring(), agent -> post.waiting(agent.agent.member())).forEach(this::fail);
        }
        if (!failures.isEmpty()) {
            throw new RunFailure(failures.getFirst());
        }
        if (aborted || signal != 0) {
            throw new RunFailure(new Finding.StoppedConnecting());
        }
    }

    // ---- together ----

    /** Sends all workers what has changed. */
    private void decide() {
        RunCoordination.Step passed = passed();
        RunCoordination.Step begin = task.plan().scenario().sends() ? RunCoordination.Step.READY : RunCoordination.Step.DECLARED;
        if (start == 0 && has(passed, begin)) {
            start = EpochClock.nanos() + LEAD;
            faults.begin(start);
        }
        begun |= has(passed, RunCoordination.Step.READY);
        if (loadEnded == 0 && begun && rendezvous.mayPass(RunCoordination.Step.SENT)) {
            loadEnded = EpochClock.nanos();
            timeouts.sent(Duration.ofNanos(loadEnded - start), aborted || quotas.areUsedUp());
        }
        // As in one process: the wait for faults and the drain count in no figure, unless consumers do their work in the drain.
        if (timeouts.isBacklog() ? has(passed, RunCoordination.Step.DRAINED) : loadEnded != 0) {
            broker.end();
        }
        LineCoordination.News fresh = LineCoordination.News.of(its -> {
            its.passed = passed;
            its.declaring = rendezvous.declaring();
            its.start = start;
            its.loadEnded = loadEnded;
            its.missing = passed == RunCoordination.Step.CLOSED ? rendezvous.missing() : Map.of();
            its.heirs = rendezvous.heirs();
            its.subscriptionHeirs = subscriptionHeirs;
            its.faulted = faults.isInEffect();
            its.usedUp = quotas.usedUp();
            its.over = over;
        });
        if (!fresh.equals(news)) {
            news = fresh;
            tellAll(fresh.line());
        }
    }

    private static boolean has(RunCoordination.@Nullable Step passed, RunCoordination.Step step) {
        return passed != null && passed.compareTo(step) >= 0;
    }

    /** Returns the last step that all may pass; null for none. */
    private RunCoordination.@Nullable Step passed() {
        RunCoordination.Step passed = null;
        for (RunCoordination.Step step : RunCoordination.Step.values()) {
            if (!rendezvous.mayPass(step) || step == RunCoordination.Step.SENT && !areFaultsOver()) {
                break;
            }
            passed = step;
        }
        return passed;
    }

    /** Returns whether all faults are over. Without a load, faults in effect are undone, so that the drain has a broker again. */
    private boolean areFaultsOver() {
        if (!faults.isOver()) {
            faults.end();
        }
        return faults.isOver();
    }

    /** Ends the load of all by news: a line that stops workers would cut the drain of those that are in it. */
    private void endLoad() {
        over = true;
        timeouts.endBy(EpochClock.nanos());
        faults.stop();
    }

    private void tellAll(String line) {
        seats.stream().filter(AgentInRun::isPresent).forEach(agent -> send(agent, new Message.Tell(task.run(), line)));
    }

    private void send(AgentInRun agent, Message message) {
        try {
            post.accept(agent.agent.member(), message.text());
        } catch (RuntimeException e) {
            // The cluster reports when the agent is gone.
        }
    }

    // ---- what it reports ----

    private void report() {
        for (Event event = faults.poll(); event != null; event = faults.poll()) {
            tell(event);
        }
        BrokerWatch seen = broker.watch();
        if (seen != null) {
            seen.notices().forEach(sentence -> tell(event(Event.Kind.NOTICE, new Finding.Said(sentence))));
            seen.unseen().forEach(sentence -> tell(event(Event.Kind.UNSEEN, new Finding.Said(sentence))));
            if (hasBegun() && EpochClock.nanos() >= start + task.plan().scenario().limits().warmup().toNanos()) {
                broker.begin();
            }
        }
        Set<Integer> present =
            seats.stream().filter(AgentInRun::isPresent).map(AgentInRun::number).collect(Collectors.toCollection(LinkedHashSet::new));
        for (Interval interval = intervals.next(present, seen); interval != null; interval = intervals.next(present, seen)) {
            Interval whole = interval;
            observe(() -> observer.interval(whole));
            if (loadEnded == 0 && deliveries.isGivenUp(whole, faults.isInEffect())) {
                endLoad();
            }
            Finding.ThresholdMissed missed = loadEnded != 0 || signal != 0 ? null : thresholds.look(whole, clocks());
            if (missed != null) {
                tell(event(Event.Kind.WARNING, missed));
                endLoad();
            }
        }
    }

    private Event event(Event.Kind kind, Finding what) {
        return new Event(start != 0 ? Math.max(0, EpochClock.nanos() - start) : 0, kind, what);
    }

    private void tell(Event event) {
        observe(() -> observer.event(event));
    }

    private interface Call {
        void run() throws Exception;
    }

    private void observe(Call call) {
        try {
            call.run();
        } catch (Exception e) {
            if (!observerFailed) {
                observerFailed = true;
                failures.add(new Finding.Broken(Finding.Step.WRITE_REPORT, "", String.valueOf(e.getMessage())));
                endLoad();
            }
        }
    }

    // ---- the end ----

    private RunResult joined() throws RunFailure {
        broker.end();
        report();
        if (seats.stream().allMatch(agent -> agent.stage == AgentInRun.Stage.LOST && !intervals.known(agent.number()).isAny())) {
            throw new RunFailure(failures.getFirst());
        }
        failures.addAll(faults.failures());
        ResultMerger joint = new ResultMerger(task.plan(), task.whole().number(), start, intervals.latestEnd(),
            intervals.sections());
        joint.faults(faults.made());
        for (AgentInRun agent : where(one -> one.part == null)) {
            joint.lost(agent.share, intervals.known(agent.number()), "agent " + agent.name() + " was lost",
                "agent " + agent.name() + " was lost before it reported why");
        }
        for (AgentInRun agent : where(one -> one.part != null)) {
            try (InputStream sets = new BufferedInputStream(Files.newInputStream(agent.inbox.directory().resolve(WorkerOrder.LEDGER)))) {
                joint.add(agent.share, agent.name(), Objects.requireNonNull(agent.part), sets);
            } catch (IOException e) {
                throw new RunFailure(new Finding.AgentFailed(agent.name(), "its ledger cannot be read: " + e.getMessage()));
            }
        }
        ResultMerger.Merged joined =
            joint.result(signal, failures, clocks(), thresholds.missed(), broker.figures());
        Stream.concat(joined.notices().stream(), thresholds.unwatched().stream())
            .forEach(notice -> tell(event(Event.Kind.NOTICE, notice)));
        RunResult result = joined.result().with(its -> {
            its.agents = seats.stream().map(agent -> agent.result(intervals.known(agent.number()))).toList();
            its.network = broker.network();
        });
        boolean judged = joined.notices().stream().anyMatch(Finding.OneWayBound.class::isInstance);
        if (task.crosses() && !judged) {
            where(one -> one.part != null).forEach(agent -> mark(agent.inbox.directory()));
        }
        seats.forEach(agent -> {
            DataDirectory.delete(agent.inbox.directory().resolve(WorkerOrder.PART));
            DataDirectory.delete(agent.inbox.directory().resolve(WorkerOrder.LEDGER));
        });
        try {
            observer.finished(result);
        } catch (Exception e) {
            return result.with(new Finding.Broken(Finding.Step.FINISH_REPORT, "", String.valueOf(e.getMessage())));
        }
        return result;
    }

    private void mark(Path files) {
        try {
            RunDirectory.crossedClocks(files);
        } catch (IOException | IllegalArgumentException e) {
            tell(event(Event.Kind.NOTICE,
                new Finding.Said("That times between agents are worth little could not be written to " + files + ".")));
        }
    }

    private List<AgentInRun> where(Predicate<AgentInRun> which) {
        return seats.stream().filter(which).toList();
    }

    private ResultMerger.ClockBound clocks() {
        double apart = AgentInRun.clocksApart(seats);
        return new ResultMerger.ClockBound(task.crosses() ? apart : 0, apart);
    }
}
