package io.brokermeter.reports;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

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
        for (Map<String, @Nullable Object> agent : JsonText.maps(result.values().get("agents"))) {
            rows.add(List.of(String.valueOf(agent.get("name")), Amounts.count(number(agent, "producers")),
                Amounts.count(number(agent, "consumers")),
                Amounts.count(number(agent, "sent")), Amounts.rate(number(agent, "sentPerSecond")),
                Amounts.count(number(agent, "received")),
                Amounts.rate(number(agent, "receivedPerSecond")), Amounts.percent(number(agent, "cpuPercent")), offset(agent), bound(agent),
                signed(number(agent, "startLateMicros")), verdict(agent)));
        }
        return rows;
    }

    /**
     * Returns whether an agent was lost. In that case the asked and due messages are known of the other agents alone, and are no measure
     * of the work of all.
     */
    public static boolean isAnyLost(StoredResult result) {
        return JsonText.maps(result.values().get("agents")).stream().anyMatch(agent -> agent.get("lost") != null);
    }

    /** Formats one agent as a line. */
    static String line(Map<String, @Nullable Object> agent) {
        StringBuilder line = new StringBuilder("agent ").append(agent.get("name")).append(": ");
        if (number(agent, "producers") > 0) {
            line.append("sent ").append(Amounts.count(number(agent, "sent"))).append(", ");
        }
        if (number(agent, "consumers") > 0) {
            line.append("received ").append(Amounts.count(number(agent, "received"))).append(", ");
        }
        line.append("CPU ").append(Amounts.percent(number(agent, "cpuPercent")));
        if (!isSameClock(agent)) {
            line.append(", clock within ").append(bound(agent));
        }
        double late = number(agent, "startLateMicros");
        if (Double.isFinite(late)) {
            line.append(", start ").append(signed(late));
        }
        return line.append(", ").append(verdict(agent)).toString();
    }

    private static boolean isSameClock(Map<String, @Nullable Object> agent) {
        return number(agent, "clockBoundMicros") == 0;
    }

    private static String offset(Map<String, @Nullable Object> agent) {
        return isSameClock(agent) ? "the same" : signed(number(agent, "clockOffsetMicros"));
    }

    private static String bound(Map<String, @Nullable Object> agent) {
        return Amounts.time(number(agent, "clockBoundMicros"));
    }

    private static String signed(double micros) {
        return !Double.isFinite(micros) ? Amounts.UNKNOWN : (micros < 0 ? "-" : "+") + Amounts.time(Math.abs(micros));
    }

    private static String verdict(Map<String, @Nullable Object> agent) {
        return agent.get("lost") instanceof String how ? "lost: " + how : String.valueOf(agent.get("verdict"));
    }

    private static double number(Map<String, @Nullable Object> agent, String name) {
        return StoredResult.number(agent, List.of(name));
    }
}
