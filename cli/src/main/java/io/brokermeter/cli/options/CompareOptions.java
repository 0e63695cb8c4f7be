package io.brokermeter.cli.options;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

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

/** The options that commands share which compare trials. */
public final class CompareOptions {

    @Option(names = "--figure", order = 11, paramLabel = "NAME[,NAME]", split = ",", hideParamSyntax = true,
        description = "The figures to compare; the first decides. Default: response.p99 where a rate was asked, unless most trials of both "
            + "sides missed it; else throughput; and others in addition.")
    List<String> figures = new ArrayList<>();

    @Option(names = "--min-effect", order = 12, paramLabel = "SHARE", defaultValue = "0.03",
        description = "The least difference that counts. Default: 3%%.")
    String least = "0.03";

    @Option(names = "--fail-if", order = 14, paramLabel = "CONDITION",
        description = "Exit status 99 when a ratio to the first side is below or above a limit, as 'throughput < 0.97' or 'response.p99 > 1.1', with "
            + "its whole interval; 0 when a part of it keeps the limit; 1 when too few trials or other conditions leave it open. "
            + "May be given more than once. Default: none.")
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

    @Option(names = "--svg", order = 18, paramLabel = "FILE",
        description = "A picture of the comparison in SVG, for a pull request; - for standard output. Default: none.")
    @Nullable String svg;

    @Option(names = "--png", order = 18, paramLabel = "FILE",
        description = "The same picture in PNG, for which the machine needs a font; - for standard output. Default: none.")
    @Nullable String png;

    /**
     * Returns the conditions of the option {@code --fail-if}.
     *
     * @throws UsageException for a condition that cannot be parsed
     */
    public List<Gate> gates() {
        return gates(conditions);
    }

    /**
     * Returns the figures with these names.
     *
     * @throws UsageException for a figure that does not exist
     */
    public static List<ComparedFigure> figures(List<String> names) {
        return names.stream().map(name -> NumberLimits.read("--figure", () -> ComparedFigure.of(name.strip()))).toList();
    }

    /**
     * Parses conditions.
     *
     * @throws UsageException for a condition that cannot be parsed
     */
    public static List<Gate> gates(List<String> conditions) {
        return conditions.stream().map(condition -> NumberLimits.read("--fail-if", () -> Gate.parse(condition))).toList();
    }

    /**
     * Returns what to compare: the figures of the options, and those of the conditions.
     *
     * @param looks whether the width of the interval ends the trials
     * @throws UsageException for options that cannot be parsed, and for files that cannot be written
     */
    public Comparison.Question question(List<Gate> gates, boolean looks, List<String> meant) {
        double share = share("--min-effect", least);
        files().require();
        return new Comparison.Question(figures(figures), gates.stream().map(Gate::figure).toList(), share, looks,
            new HashSet<>(meant));
    }

    /**
     * Parses a share.
     *
     * @throws UsageException unless the share is above 0 and below 100%
     */
    public static double share(String option, String text) {
        double share = NumberLimits.read(option, () -> Units.share(text));
        if (!(share > 0 && share < 1)) {
            throw new UsageException(option + " " + text + " must be above 0 and below 100%, like 3%.");
        }
        return share;
    }

    /**
     * Parses a time, in seconds without a unit.
     *
     * @throws UsageException for a text that is not a time
     */
    public static Duration duration(String option, String text) {
        return NumberLimits.read(option, () -> Units.duration(text.strip(), "s"));
    }

    /** Returns the files that the options name. */
    public ReportTargets files() {
        return new ReportTargets().with("--markdown", markdown).with("--html", html).with("--json", json).with("--junit", junit)
            .with("--svg", svg).with("--png", png);
    }

    /** Writes the files that the options name. */
    public void write(List<Comparison> comparisons, List<Gate> gates, PrintStream out) throws IOException {
        files().write(option -> switch (option) {
            case "--markdown" -> ReportTarget.bytes(ComparisonText.markdown(comparisons));
            case "--html" -> ReportTarget.bytes(ComparisonHtml.text(comparisons));
            case "--json" -> ReportTarget.bytes(ComparisonJson.text(comparisons, gates));
            case "--svg" -> ReportTarget.bytes(ComparisonHtml.picture(comparisons).svg());
            case "--png" -> ComparisonHtml.picture(comparisons).png();
            default -> ReportTarget.bytes(ComparisonJunit.text(comparisons, gates));
        }, out);
    }
}
