package io.brokermeter.trials.agents;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.Interruptible;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.run.connect.BrokerWatch;
import io.brokermeter.engine.run.faults.FaultPlayer;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.engine.run.parts.StepBarrier;
import io.brokermeter.engine.run.receive.Quotas;
import io.brokermeter.trials.worker.LineCoordination;
import io.brokermeter.trials.worker.WorkerLine;
import io.brokermeter.trials.worker.WorkerOrder;
import org.jspecify.annotations.Nullable;

/**
 * One run on several agents, as their coordinator executes it: gives each agent its share, leads all from step to step together, merges their
 * intervals, and produces one result at the end. {@link #execute} works on the calling thread, which alone calls the observer; all other
 * methods may be called from any thread and, except for {@link #heard}, do not block.
 */
public final class DistributedRun implements Interruptible {

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
    private final List<AgentState> agents;
    private final Agent.Post post;
    private final EventQueue events = new EventQueue();
    private final StepBarrier barrier;
    private final Quotas quotas;
    private final FaultPlayer faults;
    private final AgentTimeouts timeouts;
    private final DistributedReports reports;
    private final List<Finding.Failure> failures = new ArrayList<>();
    private LineCoordination.News news = LineCoordination.News.NONE;
    /** Whether the load of all workers ends before it was sent completely. */
    private boolean over;
    private boolean aborted;
    private int signal;
    private long start;
    /** When the loads of all were over, in nanoseconds of the run's clock; 0 as long as they are not. */
    private long loadEnded;
    /** Whether all are ready. When nothing is sent, their consumers open after the start, and until then no worker ends cleanly. */
    private volatile boolean begun;
    private Map<Integer, Integer> subscriptionOwners = Map.of();

    /**
     * Creates a run that has not begun.
     *
     * @param placed the agents, by their shares
     * @param observer receives what all agents do together, on the thread of {@link #execute}
     * @param watch watches the broker, or null; used and not closed
     * @param faults the faults of the run; ended with it
     */
    public DistributedRun(AgentsTask task, Credentials own, Map<Share, AgentInfo> placed, Agent.Post post, RunObserver observer,
            @Nullable BrokerWatch watch, FaultPlayer faults) {
        this.faults = faults;
        this.task = task;
        this.own = own;
        this.post = post;
        this.agents = AgentState.of(placed, task.files());
        this.barrier = new StepBarrier(agents.stream().map(AgentState::number).collect(Collectors.toCollection(TreeSet::new)));
        this.quotas = new Quotas(task.plan());
        this.timeouts = new AgentTimeouts(task.plan().scenario());
        this.reports = new DistributedReports(task, agents, observer, new MeasuredBroker(watch), faults, this::observerFailed);
    }

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

    /** Returns who plays the faults of the run. */
    public FaultPlayer faults() {
        return faults;
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
        events.add(text.length(), () -> agent(member).ifPresent(agent -> hear(agent, text)));
    }

    /**
     * Handles the departure of a member of the cluster.
     *
     * @param how the end of a sentence
     */
    public void left(String member, String how) {
        events.add(() -> agent(member).filter(agent -> !agent.isOver()).ifPresent(agent -> lose(agent, how)));
    }

    private Optional<AgentState> agent(String member) {
        return agents.stream().filter(agent -> agent.agent.member().equals(member)).findFirst();
    }

    /**
     * Executes the run. Blocks until all files have arrived.
     *
     * @throws RunFailure when the run could not begin, or nothing is known of it
     */
    public RunResult execute() throws RunFailure {
        try {
            agents.forEach(agent -> send(agent, new Message.Order(task.run(), own.version,
                task.whole().with(its -> {
                    its.share = agent.share;
                    its.zero = EpochClock.zero();
                    its.faulted = faults.areAny();
                }),
                agent.agent.sameClock() ? null : own.clocks.get(agent.agent.member()), own.token)));
            long began = System.nanoTime();
            while (!agents.stream().allMatch(AgentState::isOver) || !areFaultsOver()) {
                Runnable event = events.poll(POLL_MILLIS);
                if (event != null) {
                    event.run();
                }
                requireBegin(System.nanoTime() - began);
                decide();
                if (reports.report(loadEnded != 0, signal)) {
                    endLoad();
                }
            }
            return reports.result(loadEnded != 0, signal, failures);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RunFailure(new Finding.StoppedConnecting());
        } finally {
            events.close();
            faults.close();
            agents.stream().filter(agent -> agent.stage != AgentState.Stage.ARRIVED)
                .forEach(agent -> send(agent, new Message.Cancel(task.run())));
        }
    }

    private void hear(AgentState agent, String text) {
        if (agent.isOver()) {
            return;
        }
        try {
            switch (Message.read(text)) {
                case Message.Accepted accepted when isOwn(accepted.run()) && agent.stage == AgentState.Stage.ASKED ->
                    agent.stage = AgentState.Stage.RUNNING;
                case Message.Refused refused when isOwn(refused.run()) -> fail(agent, refused.reason());
                case Message.Said said when isOwn(said.run()) -> said(agent, WorkerLine.read(said.line()));
                case Message.Ended ended when isOwn(ended.run()) -> ended(agent, ended);
                case Message.Piece piece when isOwn(piece.run()) -> agent.inbox.take(piece);
                case Message.AllSent all when isOwn(all.run()) -> arrived(agent, all);
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

    private void said(AgentState agent, WorkerLine line) {
        switch (line) {
            case WorkerLine.Reached(RunCoordination.Step step) -> {
                agent.step = step;
                barrier.reached(agent.number(), step);
            }
            case WorkerLine.Declared(Set<Integer> all, Set<Integer> made) -> barrier.declared(agent.number(), all, made);
            case WorkerLine.Opened(long at) -> reports.opened(at);
            case WorkerLine.Leaves() -> waitsNoLonger(agent);
            case WorkerLine.Took(Map<Integer, Long> byGroup) -> quotas.took(agent.number(), byGroup);
            case WorkerLine.Owes(RunCoordination.Balance balance) -> barrier.owes(agent.number(), balance);
            case WorkerLine.Progress(Interval part) -> {
                reports.add(agent, part);
                if (part.received() > 0 && loadEnded != 0) {
                    timeouts.drains(EpochClock.nanos());
                }
            }
            case WorkerLine.Happened(Event event) -> {
                reports.happened(agent, event);
                if (event.kind() == Event.Kind.ERROR && !task.goesOn() && !barrier.mayPass(RunCoordination.Step.SENT)) {
                    endLoad();
                }
            }
            case WorkerLine.Alive(),WorkerLine.Failed(_),WorkerLine.Finished(_),WorkerLine.Asked(_) -> {
                // for the agent, or of a trial alone
            }
        }
    }

    private void ended(AgentState agent, Message.Ended ended) throws IOException {
        String failure = ended.failure();
        if (failure == null) {
            agent.stage = AgentState.Stage.ENDED;
            waitsNoLonger(agent);
        } else if (outlivesLosses()) {
            lose(agent, "has no worker any more: " + failure);
        } else {
            fail(agent, failure);
        }
    }

    private void waitsNoLonger(AgentState agent) {
        agent.leftEarly = barrier.ended(agent.number());
        replaceGone();
    }

    /** Has the others do without agents that are gone. */
    private void replaceGone() {
        quotas.left(where(one -> one.mayTake(loadEnded != 0)).stream().map(one -> one.share).toList());
        subscriptionOwners = AgentState.subscriptionOwners(task.plan().consumers(), agents);
    }

    private void clock(AgentState agent, Message.Clock clock) {
        agent.clock(clock);
        if (clock.sentence() != null) {
            reports.tell(Event.Kind.NOTICE, new Finding.OfAgent(agent.name(), new Finding.Said(clock.sentence())));
        }
    }

    /** Records why an agent failed before the run began, which therefore does not take place. */
    private void fail(AgentState agent, String why) {
        agent.stage = AgentState.Stage.LOST;
        agent.how = why;
        failures.add(new Finding.AgentFailed(agent.name(), why));
    }

    private void arrived(AgentState agent, Message.AllSent all) throws IOException {
        agent.arrived(all);
        send(agent, new Message.FilesReceived(task.run()));
    }

    private void leaving(AgentState agent) {
        if (task.goesOn()) {
            lose(agent, "was ended by its user");
            send(agent, new Message.Tell(task.run(), WorkerOrder.LEAVE));
            send(agent, new Message.Cancel(task.run()));
        } else {
            Finding.AgentLost lost = new Finding.AgentLost(agent.name(), "was ended by its user");
            failures.add(lost);
            reports.tell(Event.Kind.ERROR, lost);
            endLoad();
        }
    }

    private void lose(AgentState agent, String how) {
        if (agent.stage == AgentState.Stage.LOST) {
            return;
        }
        if (!outlivesLosses()) {
            fail(agent, "it " + how);
            return;
        }
        agent.stage = AgentState.Stage.LOST;
        agent.how = how;
        barrier.lost(agent.number());
        replaceGone();
        Finding.AgentLost lost = new Finding.AgentLost(agent.name(), how);
        failures.add(lost);
        reports.tell(Event.Kind.ERROR, lost);
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
            timeouts.late(agents, start, EpochClock.nanos())
                .forEach(agent -> lose(agent, "did not end in the time that the run may take"));
            return;
        }
        if (failures.isEmpty()) {
            timeouts.notReady(agents, elapsed, barrier.declaring(), agent -> post.waiting(agent.agent.member())).forEach(this::fail);
        }
        if (!failures.isEmpty()) {
            throw new RunFailure(failures.getFirst());
        }
        if (aborted || signal != 0) {
            throw new RunFailure(new Finding.StoppedConnecting());
        }
    }

    /** Sends all workers what has changed. */
    private void decide() {
        RunCoordination.Step passed = passed();
        RunCoordination.Step begin = task.plan().scenario().sends() ? RunCoordination.Step.READY : RunCoordination.Step.DECLARED;
        if (start == 0 && has(passed, begin)) {
            start = EpochClock.nanos() + LEAD;
            faults.begin(start);
            reports.starts(start);
        }
        if (!begun && has(passed, RunCoordination.Step.READY)) {
            begun = true;
            reports.begins();
        }
        if (loadEnded == 0 && begun && barrier.mayPass(RunCoordination.Step.SENT)) {
            loadEnded = EpochClock.nanos();
            timeouts.sent(Duration.ofNanos(loadEnded - start), aborted || quotas.areUsedUp());
        }
        // As in one process: the wait for faults and the drain count in no figure, unless consumers do their work in the drain.
        if (timeouts.isBacklog() ? has(passed, RunCoordination.Step.DRAINED) : loadEnded != 0) {
            reports.measuredPartEnds();
        }
        LineCoordination.News fresh = new LineCoordination.News(passed, barrier.declaring(), start, loadEnded,
            passed == RunCoordination.Step.CLOSED ? barrier.missing() : Map.of(), barrier.cleanupOwners(), subscriptionOwners,
            faults.isInEffect(), quotas.usedUp(), over);
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
            if (!barrier.mayPass(step) || step == RunCoordination.Step.SENT && !areFaultsOver()) {
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

    private void observerFailed(Finding.Failure failure) {
        failures.add(failure);
        endLoad();
    }

    private void tellAll(String line) {
        agents.stream().filter(AgentState::isPresent).forEach(agent -> send(agent, new Message.Tell(task.run(), line)));
    }

    private void send(AgentState agent, Message message) {
        try {
            post.accept(agent.agent.member(), message.text());
        } catch (RuntimeException e) {
            // The cluster reports when the agent is gone.
        }
    }

    private List<AgentState> where(Predicate<AgentState> which) {
        return agents.stream().filter(which).toList();
    }

}
