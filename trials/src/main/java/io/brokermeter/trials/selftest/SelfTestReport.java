package io.brokermeter.trials.selftest;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.DocumentJson.Inline;
import io.brokermeter.reports.document.EnvironmentDocument;
import io.brokermeter.reports.screen.Wrapping;

/**
 * What a self-test found.
 *
 * @param lines what it looked at, in order
 * @param environment the machine, as the files of runs have it
 * @param baseline what later runs are compared with
 * @param seconds how long it took
 */
public record SelfTestReport(
        List<SelfTestLine> lines, EnvironmentDocument environment, Baseline baseline, double seconds) {

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
        return DocumentJson.lines(new Document(exitCode() == 0 ? "good" : exitCode() == 1 ? "wrong" : "doubtful", exitCode(), seconds,
            baseline.kept(), lines.stream().map(line -> new Line(line.name(), line.grade().word(), line.measured(), line.meaning(),
                line.figures())).toList(),
            environment));
    }

    private record Document(String verdict, int exitCode, double seconds, Baseline.Kept baseline, List<Line> lines,
            EnvironmentDocument environment) {}

    private record Line(String name, String grade, String measured, String meaning, @Inline Map<String, Object> figures) {}
}
