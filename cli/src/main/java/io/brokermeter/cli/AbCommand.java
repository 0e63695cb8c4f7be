package io.brokermeter.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.brokermeter.analysis.Comparison;
import io.brokermeter.analysis.Gate;
import io.brokermeter.analysis.StoppingRule;
import io.brokermeter.cli.options.CompareOptions;
import io.brokermeter.cli.options.NumberLimits;
import io.brokermeter.cli.options.OptionValues;
import io.brokermeter.cli.options.SettingOptions;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.experiment.Trial;
import io.brokermeter.reports.directory.RunStore;
import io.brokermeter.reports.table.TableView;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.RunFiles;
import io.brokermeter.trials.sweep.PairedOrder;
import io.brokermeter.trials.sweep.PairedTrials;
import io.brokermeter.trials.sweep.SweepRun;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code ab}: measures two variants of a scenario in turn until it can tell whether they differ. */
@Command(name = "ab",
    description = "Measure two variants of a scenario file in turn, each trial in a JVM and on a broker of its own, until the ratio of both is known to "
        + "3 %%, and say in one sentence whether they differ.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  brokermeter ab --a broker=artemis:2.44.0 --b broker=artemis:2.56.0 scenario.yaml",
        "  brokermeter ab --b broker.heap=4g scenario.yaml --figure response.p99 --time 1h",
        "  brokermeter ab --b properties.tcpNoDelay=false scenario.yaml --fail-if 'throughput < 0.97'",
        "  brokermeter ab --resume last",
        "",
        "Exit status: 0 all trials passed, also where a --fail-if may hold by chance, 1 some failed, or too few trials",
        "or other conditions leave a --fail-if open, 2 wrong usage, 3 too few trials measured the broker and not the",
        "generator, 99 a --fail-if holds or a trial missed a threshold of the file,",
        "129, 130 and 143 ended by SIGHUP, Ctrl-C and SIGTERM."})
final class AbCommand extends SweepCommand {

    /** The options that are fixed when a comparison begins, so that {@code --resume} refuses them. */
    private static final List<String> OF_THE_BEGINNING =
        List.of("--a", "--b", "--set", "--scale", "--width", "--pairs", "--figure", "--min-effect", "--fail-if", "--out");

    @Parameters(paramLabel = "FILE", arity = "0..1", description = "A scenario file without a sweep.")
    @Nullable Path file;

    @Option(names = "--a", order = 3, paramLabel = "KEY=VALUE",
        description = "What the first variant changes of the file, any key; may be given more than once. Default: nothing.")
    List<String> first = new ArrayList<>();

    @Option(names = "--b", order = 4, paramLabel = "KEY=VALUE",
        description = "What the second variant changes of the file; may be given more than once. Default: nothing.")
    List<String> second = new ArrayList<>();

    @Option(names = "--set", order = 5, paramLabel = "KEY=VALUE",
        description = "What both variants change of the file; may be given more than once. Default: none.")
    List<String> sets = new ArrayList<>();

    @Option(names = "--scale", order = 6, paramLabel = "FACTOR",
        description = "Factor for numbers of messages and for durations. Default: as the file says, else 1.")
    @Nullable Double scale;

    @Option(names = "--width", order = 7, paramLabel = "SHARE", defaultValue = "0.03",
        description = "Width of the interval of the ratio that ends the comparison: how far its upper end may be above its lower end. Default: 3%%.")
    String width = "0.03";

    @Option(names = "--pairs", order = 8, paramLabel = "N[,N]", defaultValue = "8,12,18,30",
        description = "Numbers of pairs after which the result is looked at, from 6; the last is the greatest number of pairs. Default: ${DEFAULT-VALUE}.")
    String pairs = "8,12,18,30";

    @Option(names = "--time", order = 9, paramLabel = "TIME",
        description = "Limit for the whole comparison; no pair begins that would not end in time. Default: no limit.")
    @Nullable String time;

    @Option(names = "--resume", order = 10, paramLabel = "DIR|last",
        description = "Instead of a file: go on with the comparison in this directory, or with the newest one, until the result is clear. --time says how "
            + "long the rest may take. Refused when it is over, when a file has changed since, or while another process runs it. Default: none.")
    @Nullable String resume;

    @Option(names = "--out", order = 20, paramLabel = "DIR|none",
        description = "Where the files of the trials and the comparison go, a new directory; none keeps nothing. "
            + "Default: a new one in ~/.local/state/brokermeter/runs.")
    @Nullable String out;

    @Option(names = "--dry-run", order = 21,
        description = "Print what one pair would be, or with --resume what is left, and start nothing. Default: off.")
    boolean dryRun;

    @Mixin
    CompareOptions options = new CompareOptions();

    @Override
    public boolean isMeasuring() {
        return !dryRun;
    }

    /**
     * Measures and returns the exit status.
     *
     * @throws UsageException for what the user must change; nothing was started
     */
    @Override
    public int run(PrintStream console, PrintStream err) throws IOException {
        Duration limit = time == null ? null : CompareOptions.duration("--time", time);
        OptionValues values = new OptionValues(spec);
        SweepRun.Settings settings =
            values.settings(Drivers.load(), TableView.MARKDOWN, options.files().takeStandardOutput() ? err : console, err);
        return resume == null ? begin(limit, settings, console) : goOn(resume, values, limit, settings, console);
    }

    private int goOn(String which, OptionValues values, @Nullable Duration limit, SweepRun.Settings settings,
            PrintStream console) throws IOException {
        if (file != null || OF_THE_BEGINNING.stream().anyMatch(values::isTyped) || !values.typed(SettingOptions.ofAgents()).isEmpty()
            || !values.typed(SettingOptions.ofFiles()).isEmpty()) {
            throw new UsageException("--resume goes on with a comparison as it was begun, so it takes no file and none of "
                + String.join(", ", OF_THE_BEGINNING) + ", and none of those about agents and the load.");
        }
        options.files().require();
        Path directory = RunStore.of(System.getenv()).find(which, PairedTrials::isIn, "comparison of ab");
        AtomicReference<@Nullable PairedTrials> rest = new AtomicReference<>();
        int status = SweepRun.resume(directory, settings, files -> {
            PairedTrials paired = PairedTrials.rest(files, limit);
            rest.set(paired);
            return paired;
        }, dryRun);
        write(rest.get(), console);
        return status;
    }

    private void write(@Nullable PairedTrials measured, PrintStream console) throws IOException {
        if (measured != null && measured.comparison().isPresent()) {
            options.write(List.of(measured.comparison().get()), measured.gates(), console);
        }
    }

    private Experiment variants(Path scenario, List<String> changes, StoppingRule rule) {
        return ScenarioFile.variants(scenario, new Changes(changes, false).scaled(scale).setting(new OptionValues(spec).keys()), first,
            second,
            dryRun ? 1 : rule.most());
    }

    /** Returns whether nothing says how long the warm-up of the trials is, and they can find that themselves. */
    private boolean mayFindWarmup(Experiment experiment) {
        return Stream.of(sets, first, second).flatMap(List::stream).noneMatch(change -> change.startsWith("warmup"))
            && !experiment.yaml().matches("(?s)(.*\\n)?warmup:.*")
            && experiment.trials().stream().map(Trial::workload).allMatch(workload -> !workload.agents().areAny()
                && workload.scenario().phases().isEmpty() && !workload.scenario().limits().duration().isZero());
    }

    private int begin(@Nullable Duration limit, SweepRun.Settings settings, PrintStream console) throws IOException {
        Path scenario = file;
        if (scenario == null) {
            throw new UsageException("Name a scenario file: brokermeter ab --b KEY=VALUE FILE.");
        }
        if (first.isEmpty() && second.isEmpty()) {
            throw new UsageException("Say what differs: --a KEY=VALUE, --b KEY=VALUE, or both, like --b broker.version=2.44.0.");
        }
        if (scale != null) {
            NumberLimits.aboveZero("--scale", scale);
        }
        double narrow = CompareOptions.share("--width", width);
        StoppingRule rule = NumberLimits.read("--pairs", () -> StoppingRule.of(pairs, narrow));
        List<Gate> gates = options.gates();
        Comparison.Question question = options.question(gates, true, List.of());
        Experiment experiment = variants(scenario, sets, rule);
        if (mayFindWarmup(experiment)) {
            experiment = variants(scenario, Stream.concat(sets.stream(), Stream.of("warmup=auto")).toList(), rule);
        }
        if (experiment.trials().stream().map(trial -> trial.point().toString()).distinct().count() < 2) {
            throw new UsageException("Both variants are the same: " + experiment.trials().getFirst().point() + ".");
        }
        PairedTrials measured = new PairedTrials(experiment, new PairedOrder(rule, question, gates, limit));
        int status =
            SweepRun.begin(List.of(experiment), List.of(scenario), RunFiles.of(out, settings.around().err()), settings, measured, dryRun);
        if (dryRun) {
            console.println("These are one pair; " + rule.pairs().getFirst() + " to " + rule.most() + " are measured.");
        }
        write(measured, console);
        return status;
    }
}
