package io.brokermeter.trials.selftest;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.reports.json.JsonText;
import io.brokermeter.reports.screen.Wrapping;
import org.jspecify.annotations.Nullable;

/**
 * What a self-test found.
 *
 * @param lines what it looked at, in order
 * @param environment the machine, as the files of runs have it
 * @param baseline what later runs are compared with
 * @param seconds how long it took
 */
public record SelfTestReport(
        List<SelfTestLine> lines, Map<String, @Nullable Object> environment, Baseline baseline, double seconds) {

    private static final String INDENT = " ".repeat(10 + SelfTestLine.NAME);
    private static final double[] COLUMNS = {50, 90, 99, 99.9, 100};

    public SelfTestReport {
        lines = List.copyOf(lines);
    }

    private boolean has(SelfTestLine.Grade grade) {
        return lines.stream().anyMatch(line -> line.grade() == grade);
    }

    /** Returns the exit status: 1 if a known answer was wrong, 3 if the machine is too disturbed for its readings, else 0. */
    public int exitCode() {
        return has(SelfTestLine.Grade.WRONG) ? 1 : has(SelfTestLine.Grade.DOUBTFUL) ? RunResult.INVALID : 0;
    }

    /** Returns the screen, without the place where the result was kept. */
    public String text(int width) {
        List<String> all = new ArrayList<>();
        boolean header = false;
        for (SelfTestLine line : lines) {
            boolean columns = line.times() != null;
            if (columns && !header) {
                all.add(INDENT + String.format(Locale.ROOT, "%8s %8s %8s %8s %8s", "p50", "p90", "p99", "p99.9", "max"));
            }
            header = columns;
            String first = String.format(Locale.ROOT, "%-10s%-" + SelfTestLine.NAME + "s", line.grade().word(), line.name());
            if (columns) {
                StringBuilder row = new StringBuilder(first);
                for (double column : COLUMNS) {
                    row.append(String.format(Locale.ROOT, "%8s ", line.column(column)));
                }
                all.add(row.toString().stripTrailing());
                if (!line.meaning().isEmpty()) {
                    all.addAll(Wrapping.lines(INDENT, INDENT, line.meaning(), width));
                }
            } else {
                all.addAll(Wrapping.lines(first, INDENT, line.measured() + (line.meaning().isEmpty() ? "" : ": " + line.meaning()), width));
            }
        }
        all.add("");
        all.addAll(Wrapping.lines("", "", conclusion(), width));
        return String.join("\n", all) + "\n";
    }

    private String conclusion() {
        return switch (exitCode()) {
            case 0 -> "Good: this machine's readings are worth what the lines above say.";
            case 1 ->
                "Wrong: a known answer did not come out, which is a defect of brokermeter or of this machine's clock; please report it with the "
                    + "output of --json.";
            default ->
                "Doubtful: this machine is too disturbed, where a line says so, for readings as exact as brokermeter's; free it, or measure elsewhere.";
        };
    }

    /** Returns the report as JSON. */
    public String json() {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("verdict", exitCode() == 0 ? "good" : exitCode() == 1 ? "wrong" : "doubtful");
        all.put("exitCode", exitCode());
        all.put("seconds", seconds);
        all.put("baseline", baseline);
        all.put("lines", lines.stream().map(line -> {
            Map<String, @Nullable Object> one = new LinkedHashMap<>();
            one.put("name", line.name());
            one.put("grade", line.grade().word());
            one.put("measured", line.measured());
            one.put("meaning", line.meaning());
            one.putAll(line.figures());
            return one;
        }).toList());
        all.put("environment", environment);
        return JsonText.lines(all);
    }
}
