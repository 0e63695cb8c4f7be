package io.brokermeter.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.brokermeter.cli.options.NumberLimits;
import io.brokermeter.cli.options.OptionValues;
import io.brokermeter.cli.options.SettingOptions;
import io.brokermeter.cli.options.SweepReports;
import io.brokermeter.cli.options.TableOptions;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.experiment.omb.OmbFiles;
import io.brokermeter.reports.directory.RunStore;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.RunFiles;
import io.brokermeter.trials.sweep.LimitTrials;
import io.brokermeter.trials.sweep.SweepFiles;
import io.brokermeter.trials.sweep.SweepRun;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code run}: runs the experiments that scenario files describe. */
@Command(name = "run",
    description = "Run the trials that scenario files describe, one after the other, each in a JVM of its own, and tabulate "
        + "what they came to. A file that asks for a search is one, as by search.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  brokermeter run scenarios/rocketmq/sync-send.yaml --scale 0.05",
        "  brokermeter run scenarios/cern/ --dry-run",
        "  brokermeter run mine.yaml --set load.rate=5k/s --set broker.version=2.44.0 --repeat 3",
        "  brokermeter run --resume last",
        "",
        "Exit status: 0 all trials passed, 1 some failed, 2 wrong usage, 3 one measured the generator and not the",
        "broker, 99 none of these and one missed a threshold,",
        "129, 130 and 143 ended by SIGHUP, Ctrl-C and SIGTERM."})
final class RunFilesCommand extends SweepCommand {

    /** The options that are fixed when a sweep begins, so that {@code --resume} refuses them. */
    private static final List<String> OF_THE_BEGINNING =
        List.of("--set", "--label", "--threshold", "--scale", "--repeat", "--omb", "--driver", "--out");

    /** The least exit status of a sweep that a signal ended. */
    private static final int INTERRUPTED = 128;

    @Parameters(paramLabel = "FILE|DIR", arity = "0..*",
        description = "Scenario files; of a directory, those in it and in the directories in it.")
    List<Path> files = new ArrayList<>();

    @Option(names = "--set", order = 1, paramLabel = "KEY=VALUE",
        description = "Another value for a key of the files, the value in YAML; may be given more than once. Default: none.")
    List<String> sets = new ArrayList<>();

    @Option(names = "--label", order = 1, paramLabel = "NAME=VALUE",
        description = "A label of the trials, in addition to those of the files, by which 'brokermeter runs --label' finds them again; may be given "
            + "more than once. Default: none.")
    List<String> labels = new ArrayList<>();

    @Option(names = "--scale", order = 2, paramLabel = "FACTOR",
        description = "Factor for numbers of messages and for durations: 0.05 for a quick look. Default: as the files say, else 1.")
    @Nullable Double scale;

    @Option(names = "--repeat", order = 3, paramLabel = "N",
        description = "How often each variant is measured. Default: as the files say, else 1.")
    @Nullable Integer repeat;

    @Option(names = "--threshold", order = 3, paramLabel = "LIMIT",
        description = "A limit that a figure of each trial must keep, in addition to those of the files, like 'response.p99 < 10ms' or 'lost == 0'; with "
            + "', abort' behind it a trial ends as soon as it is not kept. May be given more than once. Default: none.")
    List<String> thresholds = new ArrayList<>();

    @Option(names = "--dry-run", order = 4, description = "Print what would be run, or with --resume what is left, and start nothing. "
        + "Default: off.")
    boolean dryRun;

    @Option(names = "--yes", order = 5, description = "Run more than " + Changes.MANY + " trials. Default: off.")
    boolean yes;

    @Option(names = "--resume", order = 6, paramLabel = "DIR|last",
        description = "Instead of files: go on with the sweep in this directory, or with the newest one, with those of its "
            + "trials that are missing. Refused when a file has changed since, or while another process runs the sweep. Default: none.")
    @Nullable String resume;

    @Option(names = "--omb", order = 7, paramLabel = "FILE",
        description = "A workload file of the OpenMessaging Benchmark, instead of a scenario file. Default: none.")
    @Nullable Path omb;

    @Option(names = "--driver", order = 8, paramLabel = "FILE",
        description = "The driver file for --omb. Default: none.")
    @Nullable Path driver;

    @Option(names = "--out", order = 9, paramLabel = "DIR|none",
        description = "Where the files of the trials and the tables go, a new directory; none keeps nothing. "
            + "Default: a new one in ~/.local/state/brokermeter/runs.")
    @Nullable String out;

    @Option(names = "--junit", order = 9, paramLabel = "FILE",
        description = "The trials as test cases in the XML of JUnit. Default: none.")
    @Nullable String junit;

    @Option(names = "--summary", order = 9, paramLabel = "FILE",
        description = "The tables in Markdown, added to what the file has, as $GITHUB_STEP_SUMMARY. Default: none.")
    @Nullable String summary;

    @Mixin
    TableOptions tables = new TableOptions();

    @Override
    public boolean isMeasuring() {
        return !dryRun;
    }

    /**
     * Runs and returns the exit status.
     *
     * @throws UsageException for what the user must change; nothing was started
     */
    @Override
    public int run(PrintStream console, PrintStream err) throws IOException {
        if (repeat != null) {
            NumberLimits.atLeast("--repeat", repeat, 1);
        }
        if (scale != null) {
            NumberLimits.aboveZero("--scale", scale);
        }
        SweepReports reports = SweepReports.of(junit, summary);
        SweepRun.Settings settings = new OptionValues(spec).settings(Drivers.load(), tables.view(), console, err);
        return resume == null ? begin(reports, settings) : goOn(resume, reports, settings);
    }

    private int begin(SweepReports reports, SweepRun.Settings settings) throws IOException {
        List<String> changed = new ArrayList<>(sets);
        new OptionValues(spec).named("--label")
            .forEach((name, value) -> changed.add("labels." + name + "=" + RunFilesCommand.quoted(value)));
        if (repeat != null) {
            changed.add("repeat=" + repeat);
        }
        Changes changes = new Changes(changed, yes).scaled(scale).keeping(thresholds).setting(new OptionValues(spec).keys());
        List<Path> sources = new ArrayList<>();
        List<Experiment> experiments = new ArrayList<>();
        if (omb == null && driver != null) {
            throw new UsageException("--driver needs --omb, which names the workload file.");
        }
        if (omb != null) {
            experiments.add(OmbFiles.read(omb, driver, settings.drivers()::parameterNames, changes));
            sources.add(omb);
            if (driver != null) {
                sources.add(driver);
            }
        }
        Set<Path> read = new HashSet<>();
        for (Path named : files) {
            for (Path file : ScenarioFile.list(named)) {
                if (read.add(file.toAbsolutePath().normalize())) {
                    sources.add(file);
                    experiments.add(ScenarioFile.read(file, changes));
                }
            }
        }
        if (experiments.isEmpty()) {
            throw new UsageException("Name a scenario file or a directory of them: brokermeter run FILE.");
        }
        requireNames(experiments);
        List<Experiment> plain = experiments.stream().filter(experiment -> experiment.search() == null).toList();
        int status = plain.isEmpty() ? 0
            : SweepRun.begin(plain, sources, RunFiles.of(out, settings.around().err()), settings, reports, dryRun);
        for (Experiment experiment : experiments) {
            // A search is a sweep of its own, since its trials depend on each other.
            if (experiment.search() != null && status < INTERRUPTED) {
                String own = out == null || out.equals("none") || experiments.size() == 1 ? out : out + "-" + experiment.name();
                int its = LimitTrials.of(experiment, reports).begin(experiments.size() == 1 ? sources : List.of(),
                    RunFiles.of(own, settings.around().err()), settings, dryRun);
                status = status == 0 || its >= INTERRUPTED ? its : status;
            }
        }
        return status;
    }

    /** Refuses two experiments of the same name: readers of a sweep's files distinguish its experiments by their names. */
    private static void requireNames(List<Experiment> experiments) {
        Map<String, Experiment> named = new HashMap<>();
        for (Experiment experiment : experiments) {
            Experiment other = named.putIfAbsent(experiment.name(), experiment);
            if (other != null) {
                throw new UsageException(other.origin() + " and " + experiment.origin() + " are two experiments of one name, '"
                    + experiment.name() + "'; give each its own with key 'name', or run them apart.");
            }
        }
    }

    /** Returns any text as a quoted string of YAML. */
    private static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    private int goOn(String which, SweepReports reports, SweepRun.Settings settings) throws IOException {
        OptionValues values = new OptionValues(spec);
        if (!files.isEmpty() || OF_THE_BEGINNING.stream().anyMatch(values::isTyped) || !values.typed(SettingOptions.ofAgents()).isEmpty()
            || !values.typed(SettingOptions.ofFiles()).isEmpty()) {
            throw new UsageException("--resume goes on with a sweep as it was begun, so it takes no files and no "
                + String.join(", ", OF_THE_BEGINNING) + ", and none of those about agents and the load.");
        }
        Path directory = RunStore.of(System.getenv()).find(which, SweepFiles::isSweep, "sweep");
        SweepFiles.requirePlain(directory);
        return SweepRun.resume(directory, settings, _ -> reports, dryRun);
    }
}
