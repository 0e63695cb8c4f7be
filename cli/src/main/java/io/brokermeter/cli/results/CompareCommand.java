package io.brokermeter.cli.results;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.brokermeter.analysis.Comparison;
import io.brokermeter.analysis.ComparisonText;
import io.brokermeter.analysis.Gate;
import io.brokermeter.analysis.SideReader;
import io.brokermeter.cli.Action;
import io.brokermeter.cli.options.CompareOptions;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.stored.KeptRuns;
import io.brokermeter.reports.stored.RunLabels;
import io.brokermeter.trials.IoCause;
import io.brokermeter.trials.Terminal;
import io.brokermeter.trials.sweep.Gates;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code compare}: compares runs and sweeps whose files were kept. */
@Command(name = "compare",
    description = "Say whether runs or sweeps differ, by how much, and how sure that is, from their files. At least 6 trials of each are needed; "
        + "trials that were measured in turn are compared in pairs. Sides that were measured one after the other are not judged, since a drift of the "
        + "machine looks like a difference: ab measures in turn.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  brokermeter compare last~1 last",
        "  brokermeter compare last --fail-if 'throughput < 0.97' --markdown comparison.md",
        "  brokermeter compare before1,before2,before3,before4,before5,before6 after --figure response.p99",
        "  brokermeter compare git.branch=main git.branch=faster --despite brokermeter,order",
        "  brokermeter compare sweep",
        "",
        "Exit status: 0 compared, whatever came out, also where a --fail-if may hold by chance, 1 too few trials or",
        "other conditions leave a --fail-if open, 2 wrong usage, 3 too few trials measured the broker and not the",
        "generator, 99 a --fail-if holds."})
public final class CompareCommand implements Action {

    @Parameters(paramLabel = "RUN", arity = "1..*",
        description = "What is compared: last, last~N, the name of a run or a sweep, its directory, or a label, NAME=VALUE, for all runs that have it; "
            + "several with commas between are trials of one side. Each is compared with the first. Of sweeps, variants of the same name are; of a single sweep, its first variant with each other.")
    List<String> runs = new ArrayList<>();

    @Mixin
    CompareOptions options = new CompareOptions();

    @Option(names = "--despite", order = 13, paramLabel = "NAME[,NAME]", split = ",", hideParamSyntax = true,
        description = "An intended difference, by the name that the refusal gives: size, protocol, machine, clock, java, "
            + "client, brokermeter, a key of scenario files, or one above it; order for sides that were measured one after the other. Default: none.")
    List<String> despite = new ArrayList<>();

    @Option(names = "--verbose", order = 30, description = "The stack trace behind an error. Default: off.")
    boolean verbose;

    @Override
    public boolean verbose() {
        return verbose;
    }

    @Override
    public int run(PrintStream out, PrintStream err) throws IOException {
        List<Gate> gates = options.gates();
        Comparison.Question question = options.question(gates, false, despite);
        KeptRuns kept = KeptRuns.of(System.getenv());
        List<Comparison> comparisons = SideReader.compared(runs, word -> directories(kept, word), question);
        options.write(comparisons, gates, out);
        if (!options.files().takeStandardOutput()) {
            out.print(ComparisonText.text(comparisons, Terminal.isOutput() ? Terminal.columns() : 0));
        }
        return Gates.judged(comparisons, gates, err);
    }

    /** Returns the directories that an argument names: one run or sweep, or all runs with a label. */
    private static List<Path> directories(KeptRuns kept, String word) {
        int equals = word.indexOf('=');
        if (equals < 1 || word.contains("/")) {
            return List.of(kept.find(word));
        }
        Map<String, String> wanted = Map.of(word.substring(0, equals), word.substring(equals + 1));
        List<Path> labelled;
        try {
            labelled = kept.all().stream().filter(one -> RunLabels.match(RunLabels.of(one), wanted) && KeptRuns.hasMeasured(one)).toList();
        } catch (IOException e) {
            throw new UsageException(kept.store().root() + " cannot be read: " + IoCause.of(e) + ".");
        }
        if (labelled.isEmpty()) {
            throw new UsageException("No run has the label " + word + "; 'brokermeter runs' lists those that were kept.");
        }
        return labelled;
    }
}
