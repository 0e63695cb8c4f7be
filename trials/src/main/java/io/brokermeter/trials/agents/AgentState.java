package io.brokermeter.trials.agents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.ConsumerPlan;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.recording.AgentResult;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.parts.IntervalSums;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.engine.run.parts.ShareResult;
import io.brokermeter.reports.directory.RunStore;
import io.brokermeter.reports.json.RecordJson;
import io.brokermeter.trials.worker.WorkerOrder;
import org.jspecify.annotations.Nullable;

/** An agent in one run, as the coordinator sees it. Used by the thread of {@link DistributedRun}. */
public final class AgentState {

    /** The stage of an agent in a run. */
    public enum Stage {
        /** The agent has not answered the order. */
        ASKED,
        /** The worker runs, or is about to. */
        RUNNING,
        /** The worker has ended, and its files are on their way. */
        ENDED,
        /** The files have arrived. */
        ARRIVED,
        /** The agent or its worker is gone. */
        LOST
    }

    final AgentInfo agent;
    final Share share;
    final FileTransfer.Inbox inbox;
    public Stage stage = Stage.ASKED;
    /** The last step that the worker reported to have reached. */
    RunCoordination.@Nullable Step step;
    /** Whether the worker ended by itself, or announced that, before the others had closed, and left to them what it shares with them. */
    public boolean leftEarly;
    /** The reason why the agent was lost. */
    @Nullable String how;
    @Nullable ShareResult part;
    /** The greatest error of the agent's time, nanoseconds; infinite as long as it is not known. */
    double clockBound = Double.POSITIVE_INFINITY;
    /** The agent's clock minus the coordinator's, nanoseconds; NaN as long as it is not known. */
    double clockOffset = Double.NaN;

    /** @param directory directory for the files of the agent */
    public AgentState(AgentInfo agent, Share share, Path directory) {
        this.agent = agent;
        this.share = share;
        this.inbox = new FileTransfer.Inbox(directory);
    }

    /**
     * Returns the agents of a run, in the order of their shares.
     *
     * @param directory directory of the directories for their files
     */
    static List<AgentState> of(Map<Share, AgentInfo> agents, Path directory) {
        // Names that differ may be the same as names of files.
        Set<String> taken = new HashSet<>();
        return agents.entrySet().stream().sorted(Comparator.comparing(one -> one.getKey().number()))
            .map(one -> new AgentState(one.getValue(), one.getKey(), directory.resolve(directoryName(one.getValue().name(), taken))))
            .toList();
    }

    /** Returns the name of a directory for an agent's files, which differs from those that are taken in any file system. */
    private static String directoryName(String agent, Set<String> taken) {
        String own = RunStore.fileName(agent);
        String name = own;
        for (int i = 2; !taken.add(name.toLowerCase(Locale.ROOT)); i++) {
            name = own + "-" + i;
        }
        return name;
    }

    int number() {
        return share.number();
    }

    String name() {
        return agent.name();
    }

    /** Takes what the agent estimates of its clock. */
    void clock(Message.Clock estimate) {
        clockOffset = estimate.offset();
        clockBound = estimate.bound();
    }

    /**
     * Reads what the agent brought, since its files have arrived.
     *
     * @throws IOException when files are missing or cannot be read
     */
    void arrived(Message.AllSent all) throws IOException {
        inbox.requireAll(all.files());
        try {
            part = RecordJson.read(ShareResult.class, Files.readString(inbox.directory().resolve(WorkerOrder.PART)));
        } catch (NoSuchFileException e) {
            throw new IOException("what it knows of the run is not among them", e);
        }
        stage = Stage.ARRIVED;
    }

    /**
     * Returns the result of the agent.
     *
     * @param known what the agent reported in intervals
     */
    AgentResult result(IntervalSums known) {
        ShareResult came = part;
        int producers = share.producers().cardinality();
        int consumers = share.consumers().cardinality();
        double offset = agent.sameClock() ? 0 : clockOffset / 1e3;
        double bound = agent.sameClock() ? 0 : clockBound / 1e3;
        if (came == null) {
            return new AgentResult(name(), producers, consumers,
                known.isAny() ? known.counts()
                    : Counts.unknown(count -> count.isOfPhases() && (count.isOfSenders() ? producers : consumers) > 0),
                Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, List.of(), offset, bound, Double.NaN, how);
        }
        RunResult own = came.result();
        double seconds = own.part().costSeconds();
        double cpu = own.health().cpuSeconds() < 0 ? Double.NaN : own.health().cpuSeconds();
        double busy = own.health().machineBusyPercent();
        return new AgentResult(name(), producers, consumers, own.counts(), producers == 0 ? Double.NaN : own.meanSent(),
            consumers == 0 ? Double.NaN : own.meanReceived(), cpu, Health.cpuPercent(cpu, seconds), busy < 0 ? Double.NaN : busy,
            own.health().verdict().reasons(), offset, bound,
            came.moments().sends() && came.moments().began() > 0 ? (came.moments().began() - came.moments().start()) / 1e3 : Double.NaN,
            null);
    }

    /** Returns how far the times of two agents may be apart, in nanoseconds: the sum for the two whose clocks are known worst. */
    static double clocksApart(List<AgentState> agents) {
        return agents.stream().map(one -> one.agent.sameClock() ? 0 : one.clockBound)
            .sorted(Comparator.reverseOrder()).limit(2).mapToDouble(Double::doubleValue).sum();
    }

    /** Returns a number that grows as the agent approaches its end. */
    int progress() {
        RunCoordination.Step last = step;
        return stage == Stage.ENDED ? Integer.MAX_VALUE : last == null ? -1 : last.ordinal();
    }

    /**
     * Returns who removes durable subscriptions that consumers of several agents have, when the agent of the first of these consumers,
     * which would remove them, is lost or left early.
     *
     * @return the numbers of shares, by the number of the subscription
     */
    public static Map<Integer, Integer> subscriptionOwners(List<ConsumerGroup> groups, List<AgentState> agents) {
        Map<Integer, Integer> cleanupOwners = new HashMap<>();
        for (ConsumerGroup group : groups) {
            if (!group.spec().removesSubscriptions()) {
                continue;
            }
            Set<Integer> seen = new HashSet<>();
            Set<Integer> open = new HashSet<>();
            for (ConsumerPlan consumer : group.consumers()) {
                boolean isFirst = seen.add(consumer.subscription());
                AgentState agent = agents.stream().filter(one -> one.share.has(consumer)).findFirst().orElse(null);
                boolean isGone = agent != null && (agent.stage == Stage.LOST || agent.leftEarly);
                if (isFirst && isGone) {
                    open.add(consumer.subscription());
                } else if (agent != null && !isGone && open.remove(consumer.subscription())) {
                    cleanupOwners.put(consumer.subscription(), agent.number());
                }
            }
        }
        return cleanupOwners;
    }

    /**
     * Returns whether the consumers of the agent have taken, or may still take, what they were to take.
     *
     * @param loadOver whether the load is over. An agent that leaves later has had its time: what its consumers lack counts as missing, and
     *     not as what nobody was to take.
     */
    boolean mayTake(boolean loadOver) {
        return stage != Stage.LOST && (loadOver || !leftEarly);
    }

    /** Returns whether the worker has not reported its end yet. */
    boolean isPresent() {
        return stage == Stage.ASKED || stage == Stage.RUNNING;
    }

    /** Returns whether nothing more will come from the agent. */
    boolean isOver() {
        return stage == Stage.ARRIVED || stage == Stage.LOST;
    }
}
