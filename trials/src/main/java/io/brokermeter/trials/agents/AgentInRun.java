package io.brokermeter.trials.agents;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.ConsumerPlan;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.recording.AgentResult;
import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.JointIntervals;
import io.brokermeter.engine.run.Peers;
import io.brokermeter.engine.run.RunPart;
import io.brokermeter.reports.RunStore;
import org.jspecify.annotations.Nullable;

/** An agent in one run, as the coordinator sees it. Used by the conductor's thread. */
final class AgentInRun {

    /** How far it is. */
    enum Stage {
        /** The agent has not answered the order. */
        ASKED,
        /** Its worker runs, or is about to. */
        RUNNING,
        /** Its worker has ended, and its files are on their way. */
        ENDED,
        /** Its files are here. */
        HOME,
        /** It is gone, or its worker is. */
        LOST
    }

    final AgentInfo agent;
    final Share share;
    final FileTransfer.Inbox inbox;
    Stage stage = Stage.ASKED;
    /** The last step that its worker said to have come to. */
    Peers.@Nullable Step step;
    /** Whether its worker ended by itself, or said that it is about to, before those of the others had closed, and left to them what it shares with them. */
    boolean leftEarly;
    /** How it was lost. */
    @Nullable String how;
    @Nullable RunPart part;
    /** Hard bound of what is known of its clock, nanoseconds; infinite as long as nothing is. */
    double clockBound = Double.POSITIVE_INFINITY;
    /** Its clock minus the coordinator's, nanoseconds. */
    double clockOffset = Double.NaN;

    /** @param directory where its files go */
    AgentInRun(AgentInfo agent, Share share, Path directory) {
        this.agent = agent;
        this.share = share;
        this.inbox = new FileTransfer.Inbox(directory);
    }

    /** Name of a directory for an agent's files; it differs from those that are taken in any file system. */
    static String place(String name, Set<String> taken) {
        String own = RunStore.fileName(name);
        String place = own;
        for (int i = 2; !taken.add(place.toLowerCase(Locale.ROOT)); i++) {
            place = own + "-" + i;
        }
        return place;
    }

    int number() {
        return share.number();
    }

    String name() {
        return agent.name();
    }

    /**
     * What it came to.
     *
     * @param known what it reported in intervals
     */
    AgentResult result(JointIntervals.Known known) {
        RunPart came = part;
        int producers = share.producers().cardinality();
        int consumers = share.consumers().cardinality();
        double offset = agent.sameClock() ? 0 : clockOffset / 1e3;
        double bound = agent.sameClock() ? 0 : clockBound / 1e3;
        if (came == null) {
            return AgentResult.of(its -> {
                its.name = name();
                its.producers = producers;
                its.consumers = consumers;
                its.sent = known.isAny() || producers == 0 ? known.sent() : GroupResult.UNKNOWN;
                its.received = known.isAny() || consumers == 0 ? known.received() : GroupResult.UNKNOWN;
                its.sentPerSecond = Double.NaN;
                its.receivedPerSecond = Double.NaN;
                its.cpuSeconds = Double.NaN;
                its.cpuPercent = Double.NaN;
                its.machineBusyPercent = Double.NaN;
                its.clockOffsetMicros = offset;
                its.clockBoundMicros = bound;
                its.lateMicros = Double.NaN;
                its.lost = how;
            });
        }
        RunResult own = came.result();
        double seconds = own.part().costSeconds();
        double busy = own.health().machineBusyPercent();
        return AgentResult.of(its -> {
            its.name = name();
            its.producers = producers;
            its.consumers = consumers;
            its.sent = own.sent();
            its.received = own.received();
            its.sentPerSecond = producers == 0 ? Double.NaN : own.meanSent();
            its.receivedPerSecond = consumers == 0 ? Double.NaN : own.meanReceived();
            its.cpuSeconds = own.health().cpuSeconds();
            its.cpuPercent = seconds > 0 ? 100 * own.health().cpuSeconds() / seconds : Double.NaN;
            its.machineBusyPercent = busy < 0 ? Double.NaN : busy;
            its.doubts = own.health().verdict().reasons();
            its.clockOffsetMicros = offset;
            its.clockBoundMicros = bound;
            its.lateMicros =
                came.moments().sends() && came.moments().began() > 0 ? (came.moments().began() - came.moments().start()) / 1e3 : Double.NaN;
        });
    }

    /** The more, the nearer it is to its end. */
    int progress() {
        Peers.Step last = step;
        return stage == Stage.ENDED ? Integer.MAX_VALUE : last == null ? -1 : last.ordinal();
    }

    /**
     * Who removes durable subscriptions that consumers of several agents have, when the agent of the first of them, which would, is lost or left
     * early.
     *
     * @return the numbers of shares, by the number of the subscription
     */
    static Map<Integer, Integer> subscriptionHeirs(List<ConsumerGroup> groups, List<AgentInRun> seats) {
        Map<Integer, Integer> heirs = new HashMap<>();
        for (ConsumerGroup group : groups) {
            if (!group.side().durable() || group.side().keepSubscriptions()) {
                continue;
            }
            Set<Integer> seen = new HashSet<>();
            Set<Integer> open = new HashSet<>();
            for (ConsumerPlan consumer : group.consumers()) {
                boolean isFirst = seen.add(consumer.subscription());
                AgentInRun agent = seats.stream().filter(one -> one.share.has(consumer)).findFirst().orElse(null);
                boolean isGone = agent != null && (agent.stage == Stage.LOST || agent.leftEarly);
                if (isFirst && isGone) {
                    open.add(consumer.subscription());
                } else if (agent != null && !isGone && open.remove(consumer.subscription())) {
                    heirs.put(consumer.subscription(), agent.number());
                }
            }
        }
        return heirs;
    }

    /** Whether its worker has not reported its end yet. */
    boolean isPresent() {
        return stage == Stage.ASKED || stage == Stage.RUNNING;
    }

    /** Whether nothing more is to come from it. */
    boolean isOver() {
        return stage == Stage.HOME || stage == Stage.LOST;
    }
}
