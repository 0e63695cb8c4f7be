package io.brokermeter.trials.agents;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.scenario.Scenario;

/**
 * The limits for the agents of a run: until they answer and are ready, and until they have ended. Reports which agents are late, and takes
 * no action. Used by the conductor's thread.
 */
final class AgentTimeouts {

    /** The time for the answer to an order: a busy machine may take a while to start a process. */
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
     * Returns the agents that keep a run from beginning, each with the reason.
     *
     * @param elapsed time since they were asked, nanoseconds
     */
    Map<AgentInRun, String> notReady(List<AgentInRun> seats, long elapsed) {
        Map<AgentInRun, String> late = new LinkedHashMap<>();
        if (elapsed > ACCEPT_WITHIN.toNanos()) {
            seats.stream().filter(agent -> agent.stage == AgentInRun.Stage.ASKED)
                .forEach(agent -> late.put(agent, "it did not answer within " + ACCEPT_WITHIN.toSeconds() + " s"));
        }
        if (late.isEmpty() && elapsed > READY_WITHIN.toNanos()) {
            seats.forEach(agent -> late.put(agent, "it was not ready within " + READY_WITHIN.toMinutes() + " minutes"));
        }
        return late;
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
    List<AgentInRun> late(List<AgentInRun> seats, long start, long now) {
        Duration most = scenario.timeLimit().map(margin::plus).orElse(LONGEST);
        boolean isLate = now - start > most.toNanos() || isToldToEnd && now - endBy > 0;
        if (!isLate || now - grace <= 0) {
            return List.of();
        }
        List<AgentInRun> open = seats.stream().filter(agent -> !agent.isOver()).toList();
        int least = open.stream().mapToInt(AgentInRun::progress).min().orElse(0);
        grace = now + margin.toNanos();
        return open.stream().filter(agent -> agent.progress() == least).toList();
    }
}
