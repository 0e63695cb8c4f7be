package io.brokermeter.cli;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The parts of an output that a script for {@code artemis perf} reads: the first line, live blocks and the summary, each line in its exact
 * form, with a number in every place. Blanks at line ends, which Artemis writes inconsistently, are ignored. Other lines may follow those
 * of Artemis in a block if they begin with {@code ---} or are empty.
 *
 * @param blocks the names of the lines of each live block, in their order
 * @param summary the names of the lines of the summary, in their order
 */
record PerfOutput(List<List<String>> blocks, List<String> summary) {

    private static final String TIMES = " mean: {1,9}\\d+\\.\\d\\d us - 50\\.00%: {1,9}\\d+\\.\\d\\d us - 90\\.00%: {1,9}\\d+\\.\\d\\d us"
        + " - 99\\.00%: {1,9}\\d+\\.\\d\\d us - 99\\.90%: {1,9}\\d+\\.\\d\\d us - 99\\.99%: {1,9}\\d+\\.\\d\\d us - max:    +\\d+\\.\\d\\d us";
    private static final Pattern RATE = Pattern.compile("--- (sent|blocked|completed|received): +\\d+ msg/sec");
    private static final Pattern LIVE_TIMES = Pattern.compile("--- (send delay time|send ack time|transfer time):" + " {0,3}" + TIMES);
    /** The result, which may be a missed rate instead of a success, since a busy machine may cause that. */
    private static final Pattern RESULT = Pattern.compile("--- (result): {9,} *(success|fail(?: \\(.*\\))?|rate missed \\(.*\\))");
    private static final Pattern TOTAL = Pattern.compile("--- (total (?:sent|blocked|completed|received)): +\\d+");
    private static final Pattern SUMMARY_TIMES =
        Pattern.compile("--- (aggregated (?:delay send|send|transfer) time): {0,6}" + TIMES);
    private static final Set<String> NAMES = Set.of("sent", "blocked", "completed", "received", "send delay time", "send ack time",
        "transfer time", "result", "total sent", "total blocked", "total completed", "total received",
        "aggregated delay send time", "aggregated send time", "aggregated transfer time");

    /** Parses an output; an AssertionError names the first line that does not have the required form. */
    static PerfOutput parse(String out) {
        List<String> lines = out.lines().map(String::stripTrailing).toList();
        require(!lines.isEmpty() && lines.getFirst().startsWith("Connection brokerURL = "), "the first line", out);
        List<List<String>> blocks = new ArrayList<>();
        List<String> summary = new ArrayList<>();
        List<String> current = null;
        Set<String> seen = new HashSet<>();
        boolean inSummary = false;
        for (int i = 1; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.equals("--- warmup true") || line.equals("--- warmup false")) {
                require(lines.get(i - 1).isEmpty(), "an empty line before " + line, out);
                current = new ArrayList<>();
                blocks.add(current);
                seen.clear();
            } else if (line.equals("--- SUMMARY")) {
                require(lines.get(i - 1).isEmpty(), "an empty line before " + line, out);
                current = summary;
                inSummary = true;
                seen.clear();
            } else if (current != null && line.startsWith("--- ")) {
                String name = inSummary ? name(line, RESULT, TOTAL, SUMMARY_TIMES) : name(line, RATE, LIVE_TIMES);
                if (name != null) {
                    require(seen.add(name), "one line only for " + name, out);
                    current.add(name);
                } else {
                    String own = line.substring(4).replaceAll(":.*", "");
                    require(!NAMES.contains(own), "the form of '" + line + "'", out);
                }
            } else {
                require(line.isEmpty() || blocks.isEmpty(), "nothing like '" + line + "'", out);
            }
        }
        require(inSummary, "a summary", out);
        return new PerfOutput(blocks, summary);
    }

    private static String name(String line, Pattern... forms) {
        for (Pattern form : forms) {
            var matcher = form.matcher(line);
            if (matcher.matches()) {
                return matcher.group(1);
            }
        }
        return null;
    }

    private static void require(boolean holds, String what, String out) {
        if (!holds) {
            throw new AssertionError("expected " + what + " in\n" + out);
        }
    }
}
