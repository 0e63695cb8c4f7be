package io.brokermeter.trials.agents;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.AwaitedDeliveries;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.run.connect.BrokerWatch;
import io.brokermeter.engine.run.faults.FaultPlayer;
import io.brokermeter.engine.run.judge.EndingThresholds;
import io.brokermeter.engine.run.parts.IntervalMerger;
import io.brokermeter.engine.run.parts.ResultMerger;
import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.trials.worker.WorkerOrder;

/**
 * What is reported of a {@link DistributedRun}: its events, the intervals of all agents merged, and at the end the result. Watches the
 * thresholds and deliveries that end the load. Used by the thread of the run, on which it calls the observer.
 */
final class DistributedReports {

    private final AgentsTask task;
    private final List<AgentState> agents;
    private final RunObserver observer;
    private final MeasuredBroker broker;
    private final FaultPlayer faults;
    private final Consumer<Finding.Failure> failed;
    private final IntervalMerger intervals;
    private final EndingThresholds thresholds;
    private final AwaitedDeliveries deliveries;
    /** What was reported as of all agents. */
    private final Set<Finding> common = new HashSet<>();
    private boolean observerFailed;
    private long start;
    private boolean begun;

    /** @param failed receives the first failure of the observer */
    DistributedReports(AgentsTask task, List<AgentState> agents, RunObserver observer, MeasuredBroker broker, FaultPlayer faults,
            Consumer<Finding.Failure> failed) {
        this.task = task;
        this.agents = agents;
        this.observer = observer;
        this.broker = broker;
        this.faults = faults;
        this.failed = failed;
        this.intervals = new IntervalMerger(task.plan().scenario().limits().interval().toNanos());
        this.thresholds = new EndingThresholds(task.plan().scenario());
        this.deliveries = new AwaitedDeliveries(task.plan());
    }

    /** Sets the start of the run, in nanoseconds of its clock. */
    void starts(long at) {
        start = at;
    }

    /** Notes that all are ready. */
    void begins() {
        begun = true;
    }

    /** Notes that no later figure of the broker counts. */
    void measuredPartEnds() {
        broker.end();
    }

    /** Notes when the consumers of an agent opened, in nanoseconds of the run's clock. */
    void opened(long at) {
        thresholds.opened(at);
    }

    /** Adds an interval of an agent. */
    void add(AgentState agent, Interval part) {
        intervals.add(agent.number(), part);
    }

    /** Reports an event of an agent. Events common to all agents are reported once, from the first agent. */
    void happened(AgentState agent, Event event) {
        if (event.kind() != Event.Kind.PHASE && !(event.what() instanceof Finding.ConsumersStart)) {
            tell(new Event(event.elapsedNanos(), event.kind(), new Finding.OfAgent(agent.name(), event.what())));
        } else if (common.add(event.what())) {
            tell(event);
        }
    }

    /**
     * Reports what is new.
     *
     * @param loadEnded whether the load of all is over
     * @param signal the number of the signal that ended the run; 0 for none
     * @return whether the load is to end now
     */
    boolean report(boolean loadEnded, int signal) {
        for (Event event = faults.poll(); event != null; event = faults.poll()) {
            tell(event);
        }
        BrokerWatch seen = broker.watch();
        if (seen != null) {
            seen.notices().forEach(sentence -> tell(Event.Kind.NOTICE, new Finding.Said(sentence)));
            seen.unseen().forEach(sentence -> tell(Event.Kind.UNSEEN, new Finding.Said(sentence)));
            if (begun && EpochClock.nanos() >= start + task.plan().scenario().limits().warmup().toNanos()) {
                broker.begin();
            }
        }
        Set<Integer> present =
            agents.stream().filter(AgentState::isPresent).map(AgentState::number).collect(Collectors.toCollection(LinkedHashSet::new));
        boolean ends = false;
        for (Interval interval = intervals.next(present, seen); interval != null; interval = intervals.next(present, seen)) {
            Interval whole = interval;
            observe(() -> observer.interval(whole));
            ends |= !loadEnded && deliveries.isGivenUp(whole, faults.isInEffect());
            Finding.ThresholdMissed missed = loadEnded || signal != 0 ? null : thresholds.look(whole, clocks());
            if (missed != null) {
                tell(Event.Kind.WARNING, missed);
                ends = true;
            }
        }
        return ends;
    }

    /** Reports what happened now. */
    void tell(Event.Kind kind, Finding what) {
        tell(new Event(start != 0 ? Math.max(0, EpochClock.nanos() - start) : 0, kind, what));
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
                failed.accept(new Finding.Broken(Finding.Step.WRITE_REPORT, "", String.valueOf(e.getMessage())));
            }
        }
    }

    /**
     * Merges what the agents brought, and finishes the reports. Blocks while files are read.
     *
     * @param failures those so far, to which those of faults are added
     * @throws RunFailure when nothing is known of the run
     */
    RunResult result(boolean loadEnded, int signal, List<Finding.Failure> failures) throws RunFailure {
        broker.end();
        report(loadEnded, signal);
        if (agents.stream().allMatch(agent -> agent.stage == AgentState.Stage.LOST && !intervals.known(agent.number()).isAny())) {
            throw new RunFailure(failures.getFirst());
        }
        failures.addAll(faults.failures());
        ResultMerger merger = new ResultMerger(task.plan(), task.whole().number(), start, intervals.latestEnd(),
            intervals.sections());
        merger.faults(faults.made());
        for (AgentState agent : where(one -> one.part == null)) {
            merger.lost(agent.share, intervals.known(agent.number()), "agent " + agent.name() + " was lost",
                "agent " + agent.name() + " was lost before it reported why");
        }
        for (AgentState agent : where(one -> one.part != null)) {
            try (InputStream sets = new BufferedInputStream(Files.newInputStream(agent.inbox.directory().resolve(WorkerOrder.LEDGER)))) {
                merger.add(agent.share, agent.name(), Objects.requireNonNull(agent.part), sets);
            } catch (IOException e) {
                throw new RunFailure(new Finding.AgentFailed(agent.name(), "its ledger cannot be read: " + e.getMessage()));
            }
        }
        ResultMerger.Merged merged = merger.result(signal, failures, clocks(), thresholds.missed(), broker.figures());
        Stream.concat(merged.notices().stream(), thresholds.unwatched().stream())
            .forEach(notice -> tell(Event.Kind.NOTICE, notice));
        RunResult result = merged.result().with(its -> {
            its.agents = agents.stream().map(agent -> agent.result(intervals.known(agent.number()))).toList();
            its.network = broker.network();
        });
        boolean judged = merged.notices().stream().anyMatch(Finding.OneWayBound.class::isInstance);
        if (task.crosses() && !judged) {
            where(one -> one.part != null).forEach(agent -> mark(agent.inbox.directory()));
        }
        agents.forEach(agent -> {
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
            tell(Event.Kind.NOTICE,
                new Finding.Said("That times between agents are worth little could not be written to " + files + "."));
        }
    }

    private List<AgentState> where(Predicate<AgentState> which) {
        return agents.stream().filter(which).toList();
    }

    private ResultMerger.ClockBound clocks() {
        double apart = AgentState.clocksApart(agents);
        return new ResultMerger.ClockBound(task.crosses() ? apart : 0, apart);
    }
}
