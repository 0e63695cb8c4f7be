package io.brokermeter.cli.results;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

import io.brokermeter.analysis.ComparedFigure;
import io.brokermeter.analysis.Comparison;
import io.brokermeter.analysis.Gate;
import io.brokermeter.analysis.History;
import io.brokermeter.analysis.HistoryText;
import io.brokermeter.analysis.html.HistoryHtml;
import io.brokermeter.cli.Action;
import io.brokermeter.cli.options.CompareOptions;
import io.brokermeter.cli.options.NumberLimits;
import io.brokermeter.cli.options.ReportTarget;
import io.brokermeter.cli.options.ReportTargets;
import io.brokermeter.reports.stored.KeptRuns;
import io.brokermeter.trials.Terminal;
import io.brokermeter.trials.sweep.Gates;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code watch}: shows the results of one scenario over many runs, and which run made it faster or slower. */
@Command(name = "watch",
    description = "Show what a scenario came to over all runs whose files were kept, and which run made it faster or slower, from 20 runs on.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  brokermeter watch",
        "  brokermeter watch 20261122T001509.526Z-orders --figure response.p99",
        "  brokermeter watch --fail-if 'throughput < 0.97' --markdown - >> \"$GITHUB_STEP_SUMMARY\"",
        "",
        "Exit status: 0 shown, whatever has changed, 1 too few runs for a --fail-if, 2 wrong usage, 99 a --fail-if holds."})
public final class WatchCommand implements Action {

    private static final int MOST = 1000;

    @Parameters(paramLabel = "RUN", arity = "0..1", defaultValue = "last",
        description = "A run or a sweep; those with the same load on the same machine are its history. Default: ${DEFAULT-VALUE}.")
    String which = "last";

    @Option(names = "--figure", order = 1, paramLabel = "NAME",
        description = "The figure to look at. Default: response.p99 where a rate was asked, unless most trials of the runs missed it; "
            + "else throughput.")
    @Nullable String figure;

    @Option(names = "--min-effect", order = 2, paramLabel = "SHARE", defaultValue = "0.03",
        description = "The least change that counts. Default: 3%%.")
    String least = "0.03";

    @Option(names = "--despite", order = 3, paramLabel = "NAME[,NAME]", split = ",", hideParamSyntax = true,
        description = "What may differ between runs in addition to the broker's version: machine, clock, java, brokermeter, client, a key. Default: nothing.")
    List<String> despite = new ArrayList<>();

    @Option(names = "--runs", order = 4, paramLabel = "N", defaultValue = "200",
        description = "How many of the newest runs of that load are looked at, at most " + MOST + ". Default: ${DEFAULT-VALUE}.")
    int runs = 200;

    @Option(names = "--fail-if", order = 5, paramLabel = "CONDITION",
        description = "Exit status 99 when the last change made the ratio to the runs before it fall below or rise above a limit, as "
            + "'throughput < 0.97' or 'response.p99 > 1.1'; 0 when the newest run is the first to show that; 1 when there are too few runs. May be given more than once. Default: none.")
    List<String> conditions = new ArrayList<>();

    @Option(names = "--markdown", order = 5, paramLabel = "FILE",
        description = "The history for a pull request or a step summary; - for standard output. Default: none.")
    @Nullable String markdown;

    @Option(names = "--html", order = 5, paramLabel = "FILE",
        description = "The history as a page in one file; - for standard output. Default: none.")
    @Nullable String html;

    @Option(names = "--json", order = 6, paramLabel = "FILE", description = "The history as JSON; - for standard output. Default: none.")
    @Nullable String json;

    @Override
    public int run(PrintStream out, PrintStream err) throws IOException {
        NumberLimits.between("--runs", runs, 1, MOST);
        ReportTargets files = new ReportTargets().with("--markdown", markdown).with("--html", html).with("--json", json);
        files.require();
        List<Gate> gates = CompareOptions.gates(conditions);
        double share = CompareOptions.share("--min-effect", least);
        List<ComparedFigure> figures = CompareOptions.figures(figure == null ? List.of() : List.of(figure));
        KeptRuns kept = KeptRuns.of(System.getenv());
        Path reference = kept.find(which);
        List<History> histories = History.of(reference, kept.all(), runs,
            new Comparison.Question(figures, gates.stream().map(Gate::figure).toList(), share, false,
                new HashSet<>(despite)));
        files.write(option -> ReportTarget.bytes(switch (option) {
            case "--markdown" -> HistoryText.markdown(histories);
            case "--html" -> HistoryHtml.text(histories);
            default -> HistoryText.json(histories, gates);
        }), out);
        if (!files.takeStandardOutput()) {
            show(histories, out);
        }
        return Gates.judgedBy(histories, gates, err);
    }

    private static void show(List<History> histories, PrintStream out) {
        int width = Terminal.isOutput() ? Terminal.columns() : 0;
        for (int i = 0; i < histories.size(); i++) {
            out.print((i == 0 ? "" : "\n") + HistoryText.text(histories.get(i), width));
        }
    }
}
