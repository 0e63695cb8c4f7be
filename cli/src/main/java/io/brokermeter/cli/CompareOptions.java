package io.brokermeter.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.analysis.ComparedFigure;
import io.brokermeter.analysis.Comparison;
import io.brokermeter.analysis.ComparisonJson;
import io.brokermeter.analysis.ComparisonJunit;
import io.brokermeter.analysis.ComparisonText;
import io.brokermeter.analysis.Gate;
import io.brokermeter.analysis.html.ComparisonHtml;
import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.UsageException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What commands have in common that compare trials. */
final class CompareOptions {

    @Option(names = "--figure", order = 11, paramLabel = "NAME[,NAME]", split = ",",
        description = "What is compared; the first decides. Default: throughput, or response.p99 where an asked rate was kept, and others "
            + "beside it.")
    List<String> figures = new ArrayList<>();

    @Option(names = "--min-effect", order = 12, paramLabel = "SHARE", defaultValue = "0.03",
        description = "The least difference that counts. Default: 3%%.")
    String least = "0.03";

    @Option(names = "--fail-if", order = 14, paramLabel = "CONDITION",
        description = "Exit status 99 when a ratio to the first side is below or above a limit, as 'throughput < 0.97' or 'response.p99 > 1.1', and "
            + "chance does not explain it; 1 when too few trials or other conditions leave it open. May be given more than once. Default: none.")
    List<String> conditions = new ArrayList<>();

    @Option(names = "--markdown", order = 15, paramLabel = "FILE",
        description = "The comparison for a pull request or a step summary; - for standard output. Default: none.")
    @Nullable String markdown;

    @Option(names = "--html", order = 15, paramLabel = "FILE",
        description = "The comparison as a page in one file without scripts: ratios with intervals, percentiles of both over each other, each "
            + "trial; - for standard output. Default: none.")
    @Nullable String html;

    @Option(names = "--json", order = 16, paramLabel = "FILE",
        description = "The comparison as JSON; - for standard output. Default: none.")
    @Nullable String json;

    @Option(names = "--junit", order = 17, paramLabel = "FILE",
        description = "The comparison as test cases for a build server; - for standard output. Default: none.")
    @Nullable String junit;

    @Option(names = "--verbose", order = 30, description = "The stack trace behind an error. Default: off.")
    boolean verbose;

    /** @throws UsageException for one that cannot be read */
    List<Gate> gates() {
        return conditions.stream().map(condition -> {
            try {
                return Gate.parse(condition);
            } catch (UsageException e) {
                throw new UsageException("--fail-if: " + e.getMessage());
            }
        }).toList();
    }

    /**
     * What is compared. Figures of conditions are, too.
     *
     * @throws UsageException for what cannot be read
     */
    Comparison.Question question(List<Gate> gates, double confidence, List<String> meant) {
        double share = share("--min-effect", least);
        requireFiles();
        List<ComparedFigure> named = new ArrayList<>();
        for (String name : figures) {
            try {
                named.add(ComparedFigure.of(name.strip()));
            } catch (UsageException e) {
                throw new UsageException("--figure: " + e.getMessage());
            }
        }
        return new Comparison.Question(named, gates.stream().map(Gate::figure).toList(), share, confidence, new HashSet<>(meant));
    }

    /** @throws UsageException unless it is a part of 1 above 0 */
    static double share(String option, String text) {
        double share;
        try {
            share = Units.share(text);
        } catch (UsageException e) {
            throw new UsageException(option + ": " + e.getMessage());
        }
        if (!(share > 0 && share < 1)) {
            throw new UsageException(option + " " + text + " must be above 0 and below 100%, like 3%.");
        }
        return share;
    }

    /** The files by the option that names them. */
    private Map<String, String> files() {
        Map<String, String> files = new LinkedHashMap<>();
        put(files, "--markdown", markdown);
        put(files, "--html", html);
        put(files, "--json", json);
        put(files, "--junit", junit);
        return files;
    }

    private static void put(Map<String, String> files, String option, @Nullable String file) {
        if (file != null) {
            files.put(option, file);
        }
    }

    /** Before anything is measured or read. */
    private void requireFiles() {
        ReportTarget
            .requireOneOutput(files().entrySet().stream().filter(file -> file.getValue().equals(ReportTarget.OUTPUT)).map(Map.Entry::getKey)
                .toList());
        files().forEach((option, file) -> {
            if (!file.equals(ReportTarget.OUTPUT)) {
                ReportTarget.require(option, file);
            }
        });
    }

    /** Whether a file goes to standard output, which has nothing else then. */
    boolean isStandardOutputTaken() {
        return files().containsValue(ReportTarget.OUTPUT);
    }

    /** Writes the files that were asked for. */
    void write(List<Comparison> comparisons, List<Gate> gates, PrintStream out) throws IOException {
        for (Map.Entry<String, String> file : files().entrySet()) {
            ReportTarget.write(file.getKey(), file.getValue(), switch (file.getKey()) {
                case "--markdown" -> ComparisonText.markdown(comparisons);
                case "--html" -> ComparisonHtml.text(comparisons);
                case "--json" -> ComparisonJson.text(comparisons, gates);
                default -> ComparisonJunit.text(comparisons, gates);
            }, out);
        }
    }
}
