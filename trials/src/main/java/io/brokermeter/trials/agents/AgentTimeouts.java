package io.brokermeter.trials.agents;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

import io.brokermeter.engine.scenario.Scenario;

/**
 * The limits for the agents of a run: until they answer and are ready, and until they have ended. Reports which agents are late, and takes
 * no action. Used by the thread of {@link DistributedRun}.
 */
final class AgentTimeouts {

    /**
     * The time for the answer to an order, from when it was sent, which takes a while with large files: a busy machine may also take a
     * while to start a process.
     */
    private static final Duration ACCEPT_WITHIN = Duration.ofSeconds(30);
    /** The time for connecting, declaring and opening; each connection has a limit of its own. */
    private static final Duration READY_WITHIN = Duration.ofMinutes(5);
    /** The time for closing and files, in addition to load and drain. */
    private static final Duration MARGIN = Duration.ofMinutes(5);
    /** The longest duration of a load without a planned length; a load that makes no progress ends by itself long before. */
    private static final Duration LONGEST = Duration.ofDays(7);

    private final Scenario scenario;
    /** The longest time from the end of the sends to the first delivery of a backlog, or to the end of the drain. */
    private final Duration drain;
    /** When the order of an agent was last seen to be on its way, in nanoseconds since the agents were asked. */
    private final Map<AgentState, Long> sending = new HashMap<>();
    private boolean backlog;
    private Duration margin = MARGIN;
    /** The moment at which everything must be over, once the run was told to end, in nanoseconds of the run's clock. */
    private long endBy;
    private boolean isToldToEnd;
    /**
     * The moment until which no agent is lost for being late, since those that delayed the others were just found, or a backlog is being
     * drained; in nanoseconds of the run's clock.
     */
    private long grace;

    AgentTimeouts(Scenario scenario) {
        this.scenario = scenario;
        this.drain = scenario.drainLimit();
    }

    /** Sets another time for closing and files. */
    void within(Duration other) {
        margin = other;
    }

    /**
     * Returns the agents that keep a run from beginning, each with the reason. Agents that wait for others are not among them. Called often,
     * so that it is known when an order has left.
     *
     * @param elapsed time since they were asked, nanoseconds
     * @param declaring number of the share whose turn it is to declare destinations; -1 for none
     * @param unsent returns the number of bytes that still wait to be sent to an agent
     */
    Map<AgentState, String> notReady(List<AgentState> agents, long elapsed, int declaring, ToLongFunction<AgentState> unsent) {
        Map<AgentState, String> late = new LinkedHashMap<>();
        agents.stream().filter(agent -> agent.stage == AgentState.Stage.ASKED).forEach(agent -> {
            if (unsent.applyAsLong(agent) > 0) {
                sending.put(agent, elapsed);
            }
            if (elapsed - sending.getOrDefault(agent, 0L) > ACCEPT_WITHIN.toNanos()) {
                late.put(agent, "it did not answer within " + ACCEPT_WITHIN.toSeconds() + " s");
            }
        });
        if (late.isEmpty() && elapsed > READY_WITHIN.toNanos()) {
            List<AgentState> last = leastProgress(agents).stream().filter(agent -> declaring < 0 || agent.number() == declaring).toList();
            last.forEach(agent -> late.put(agent, "it was not ready within " + READY_WITHIN.toMinutes() + " minutes"
                + (unsent.applyAsLong(agent) > 0 ? ", since its order could not be sent in that time" : "") + others(agent, last)));
        }
        return late;
    }

    /** Returns the end of a sentence about an agent that is not ready, with the names of the others that are not; empty for none. */
    private static String others(AgentState agent, List<AgentState> last) {
        List<String> others = last.stream().filter(other -> other != agent).map(AgentState::name).toList();
        return others.isEmpty() ? "" : "; nor " + (others.size() == 1 ? "was " : "were ") + String.join(", ", others);
    }

    private static List<AgentState> leastProgress(List<AgentState> agents) {
        int least = agents.stream().mapToInt(AgentState::progress).min().orElse(0);
        return agents.stream().filter(agent -> agent.progress() == least).toList();
    }

    /**
     * Limits the wait from now on: an agent that lives and does not end is waited for as long as a drain and the rest may take, and no
     * longer.
     */
    void endBy(long now) {
        if (!isToldToEnd) {
            isToldToEnd = true;
            endBy = now + drain.plus(margin).toNanos();
        }
    }

    /**
     * Notes that all was sent, so that it is known whether consumers start only then.
     *
     * @param load time that the load took, from the run's start
     * @param cut whether something cut the load, other than an order to end
     */
    void sent(Duration load, boolean cut) {
        backlog = scenario.consumesAfter(load, !cut && !isToldToEnd);
    }

    /** Returns whether consumers start only when all was sent. */
    boolean isBacklog() {
        return backlog;
    }

    /**
     * Notes that messages were received in the drain. A backlog takes as long as it takes: the time for the rest counts from its last
     * delivery.
     */
    void drains(long now) {
        if (backlog) {
            grace = now + drain.plus(margin).toNanos();
        }
    }

    /**
     * Returns the agents that did not end in time. Agents that wait for others are not among them, but get some more time.
     *
     * @param start the start of the load
     */
    List<AgentState> late(List<AgentState> agents, long start, long now) {
        Duration most = scenario.timeLimit().map(margin::plus).orElse(LONGEST);
        boolean isLate = now - start > most.toNanos() || isToldToEnd && now - endBy > 0;
        if (!isLate || now - grace <= 0) {
            return List.of();
        }
        grace = now + margin.toNanos();
        return leastProgress(agents.stream().filter(agent -> !agent.isOver()).toList());
    }
}
