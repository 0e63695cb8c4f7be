package io.brokermeter.reports;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.reports.document.ResultDocument.OneAgent;

/** Formats the agents of a run side by side, as rows of a text table. */
public final class AgentRows {

    /** The titles of the columns; the first names the row. */
    public static final List<String> HEAD =
        List.of("agent", "producers", "consumers", "sent", "sent/s", "received", "received/s", "CPU", "clock", "within", "start",
            "verdict");

    private AgentRows() {}

    /** Returns a row for each agent; none for a run in one process. */
    public static List<List<String>> of(StoredResult result) {
        List<List<String>> rows = new ArrayList<>();
        for (OneAgent agent : result.document().agents()) {
            rows.add(List.of(agent.name(), Amounts.count(agent.producers()),
                Amounts.count(agent.consumers()),
                Amounts.count(agent.sent()), Amounts.rate(agent.sentPerSecond()),
                Amounts.count(agent.received()),
                Amounts.rate(agent.receivedPerSecond()), Amounts.percent(agent.cpuPercent()), offset(agent), bound(agent),
                signed(agent.startLateMicros()), verdict(agent)));
        }
        return rows;
    }

    /**
     * Returns whether an agent was lost. In that case the asked and due messages are known of the other agents alone, and are no measure
     * of the work of all.
     */
    public static boolean isAnyLost(StoredResult result) {
        return result.document().agents().stream().anyMatch(agent -> agent.lost() != null);
    }

    /** Formats one agent as a line. */
    public static String line(OneAgent agent) {
        StringBuilder line = new StringBuilder("agent ").append(agent.name()).append(": ");
        if (agent.producers() > 0) {
            line.append("sent ").append(Amounts.count(agent.sent())).append(", ");
        }
        if (agent.consumers() > 0) {
            line.append("received ").append(Amounts.count(agent.received())).append(", ");
        }
        line.append("CPU ").append(Amounts.percent(agent.cpuPercent()));
        if (!isSameClock(agent)) {
            line.append(", clock within ").append(bound(agent));
        }
        double late = agent.startLateMicros();
        if (Double.isFinite(late)) {
            line.append(", start ").append(signed(late));
        }
        return line.append(", ").append(verdict(agent)).toString();
    }

    private static boolean isSameClock(OneAgent agent) {
        return agent.clockBoundMicros() == 0;
    }

    private static String offset(OneAgent agent) {
        return isSameClock(agent) ? "the same" : signed(agent.clockOffsetMicros());
    }

    private static String bound(OneAgent agent) {
        return Amounts.time(agent.clockBoundMicros());
    }

    private static String signed(double micros) {
        return !Double.isFinite(micros) ? Amounts.UNKNOWN : (micros < 0 ? "-" : "+") + Amounts.time(Math.abs(micros));
    }

    private static String verdict(OneAgent agent) {
        return agent.lost() != null ? "lost: " + agent.lost() : agent.verdict();
    }
}
