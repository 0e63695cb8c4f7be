package io.brokermeter.trials.agents;

import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.scenario.Scenario;

/**
 * How long the agents of a run are waited for: until they answer and are ready, and until they have ended. It says who is too late and does nothing. Used
 * by the conductor's thread.
 */
final class AgentTimeouts {

    /** A busy machine may take a while to start a process. */
    private static final Duration ACCEPT_WITHIN = Duration.ofSeconds(30);
    /** Connecting, declaring and opening; each connection has its own limit. */
    private static final Duration READY_WITHIN = Duration.ofMinutes(5);
    /** What closing and files may take beside load and drain. */
    private static final Duration MARGIN = Duration.ofMinutes(5);
    /** How long a load without a planned length may take; one that sends and stands still ends by itself long before. */
    private static final Duration LONGEST = Duration.ofDays(7);

    private final Duration length;
    /** From the end of the sends to the first delivery of a backlog, or to the end of the drain. */
    private final Duration drain;
    private final boolean backlog;
    private Duration margin = MARGIN;
    /** When everything must be over, since it was told to end. */
    private long endBy;
    private boolean isToldToEnd;
    /** Until then nobody is lost for being late, since those who kept the others waiting have just been, or a backlog is being drained. */
    private long grace;

    AgentTimeouts(Scenario scenario) {
        this.length = scenario.length();
        this.backlog = scenario.consumesAfterProducers();
        this.drain = scenario.limits().drainTimeout().plus(scenario.consumers().stream().filter(side -> side.start().afterProducers())
            .map(side -> side.start().delay()).max(Comparator.naturalOrder()).orElse(Duration.ZERO));
    }

    /** With another time for closing and files. */
    void within(Duration other) {
        margin = other;
    }

    /**
     * Who keeps a run from its begin, with why.
     *
     * @param elapsed since they were asked, nanoseconds
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

    /** From now on an agent that does not end, though it lives, is waited for as long as a drain and the rest may take, and no longer. */
    void endBy(long now) {
        if (!isToldToEnd) {
            isToldToEnd = true;
            endBy = now + drain.plus(margin).toNanos();
        }
    }

    /** Messages came in the drain. A backlog takes as long as it takes: what is still waited for counts from its last delivery. */
    void drains(long now) {
        if (backlog) {
            grace = now + drain.plus(margin).toNanos();
        }
    }

    /**
     * Who did not end in time. Those who are where they are because they wait for others are not among them, but get some more time.
     *
     * @param start of the load
     */
    List<AgentInRun> late(List<AgentInRun> seats, long start, long now) {
        Duration most = length.isZero() ? LONGEST : length.plus(drain).plus(margin);
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
