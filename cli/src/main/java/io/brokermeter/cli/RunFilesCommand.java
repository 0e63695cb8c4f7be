package io.brokermeter.cli;

import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.cli.options.LoginOptions;
import io.brokermeter.cli.options.ObservationOptions;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.BrokerChoice;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.OmbFiles;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.reports.RunStore;
import io.brokermeter.spi.Secret;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs the experiments that scenario files describe. */
@Command(name = "run",
        description = "Run the trials that scenario files describe, one after the other, each in a JVM of its own, and tabulate "
            + "what they came to.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  brokermeter run scenarios/rocketmq/async-send.yaml --scale 0.05",
            "  brokermeter run scenarios/cern/ --dry-run",
            "  brokermeter run mine.yaml --set load.rate=5k/s --set broker.version=2.44.0 --repeat 3",
            "  brokermeter run --resume last",
            "",
            "Exit status: 0 all trials passed, 1 some failed, 2 wrong usage, 129, 130 and 143 ended by SIGHUP, Ctrl-C and SIGTERM."})
final class RunFilesCommand {

    @Parameters(paramLabel = "FILE|DIR", arity = "0..*",
            description = "Scenario files; of a directory, those in it and in the directories in it.")
    List<Path> files = new ArrayList<>();

    @Option(names = "--set", order = 1, paramLabel = "KEY=VALUE",
            description = "Another value for a key of the files, the value in YAML; may be given more than once. Default: none.")
    List<String> sets = new ArrayList<>();

    @Option(names = "--scale", order = 2, paramLabel = "FACTOR", defaultValue = "1",
            description = "Factor for numbers of messages and for durations: 0.05 for a quick look. Default: ${DEFAULT-VALUE}.")
    double scale = 1;

    @Option(names = "--repeat", order = 3, paramLabel = "N",
            description = "How often each variant is measured. Default: as the files say, else once.")
    @Nullable Integer repeat;

    @Option(names = "--dry-run", order = 4, description = "Tell what would be run, and start nothing. Default: off.")
    boolean dryRun;

    @Option(names = "--yes", order = 5, description = "More than " + Changes.MANY + " trials are meant. Default: off.")
    boolean yes;

    @Option(names = "--resume", order = 6, paramLabel = "DIR|last",
            description = "Instead of files: go on with the sweep in this directory, or with the newest one, with those of its "
                + "trials that are missing. Default: none.")
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

    @Option(names = "--verbose", order = 10, description = "The stack trace behind an error. Default: off.")
    boolean verbose;

    @Mixin(name = Heading.LOGIN)
    final LoginOptions login = new LoginOptions();

    @Mixin(name = Heading.OBSERVATION)
    final ObservationOptions observation = new ObservationOptions();

    /**
     * Runs and returns the exit status.
     *
     * @throws UsageException for what the user must change; nothing was started
     */
    int run(PrintStream console, PrintStream err) throws IOException {
        observation.observation();
        if (repeat != null && repeat < 1) {
            throw new UsageException("--repeat " + repeat + " must be at least 1.");
        }
        if (!Double.isFinite(scale) || scale <= 0) {
            throw new UsageException("--scale " + scale + " must be greater than 0.");
        }
        Drivers drivers = Drivers.load();
        Secret password = Passwords.resolve(login.password, login.passwordFile, "--password");
        Sweep.Settings settings = new Sweep.Settings(drivers, password,
                Arrays.asList(observation.pids, observation.jmx, observation.metrics), observation.metricNames);
        return resume == null ? begin(settings, console, err) : goOn(resume, settings, console, err);
    }

    private int begin(Sweep.Settings settings, PrintStream console, PrintStream err) throws IOException {
        List<String> changed = new ArrayList<>(sets);
        if (repeat != null) {
            changed.add("repeat=" + repeat);
        }
        Changes changes = new Changes(changed, scale, yes);
        List<Path> sources = new ArrayList<>();
        List<Experiment> experiments = new ArrayList<>();
        if (omb == null && driver != null) {
            throw new UsageException("--driver needs --omb, which names the workload file.");
        }
        if (omb != null) {
            experiments.add(OmbFiles.read(omb, driver, changes));
            sources.add(omb);
            if (driver != null) {
                sources.add(driver);
            }
        }
        for (Path named : files) {
            for (Path file : ScenarioFile.list(named)) {
                if (!sources.contains(file)) {
                    sources.add(file);
                    experiments.add(ScenarioFile.read(file, changes));
                }
            }
        }
        if (experiments.isEmpty()) {
            throw new UsageException("Name a scenario file or a directory of them: brokermeter run FILE.");
        }
        return begin(experiments, sources, RunFiles.of(out, err), settings, dryRun, console, err);
    }

    /** Runs experiments from their beginning. */
    static int begin(List<Experiment> experiments, List<Path> sources, RunFiles places, Sweep.Settings settings, boolean dryRun,
            PrintStream console, PrintStream err) throws IOException {
        SweepPlan plan = SweepPlan.of(experiments, settings.drivers(), fallback(), settings.password());
        plan.requireEnds();
        experiments.forEach(experiment -> experiment.warnings().forEach(warning ->
                err.println("warning: " + experiment.name() + ": " + warning)));
        if (dryRun) {
            requireVersions(plan, err);
            console.print(plan.text());
            return 0;
        }
        String name = experiments.size() == 1 ? experiments.getFirst().name()
                : sources.isEmpty() || sources.getFirst().toAbsolutePath().getParent() == null ? "sweep"
                : String.valueOf(sources.getFirst().toAbsolutePath().getParent().getFileName());
        if (plan.steps().stream().allMatch(step -> step.broker() == null)) {
            settings.requireMetrics();
        }
        RunFiles.Place place = places.sweep(name);
        try (Closeable _ = SweepFiles.lock(place.directory())) {
            return run(plan, SweepFiles.create(place.directory(), sources, plan), place, settings, console, err);
        } finally {
            place.end();
        }
    }

    /** A dry run is asked for what is wrong, and whether there is a version is a question that starts nothing. */
    private static void requireVersions(SweepPlan plan, PrintStream err) {
        List<BrokerName> names = plan.steps().stream().map(SweepPlan.Step::broker).filter(Objects::nonNull)
                .map(BrokerChoice::name).distinct().toList();
        for (BrokerName name : names) {
            try (ProgressLine progress = new ProgressLine(err, ProgressLine.isTerminal())) {
                progress.drawOnly("Looking for " + name);
                Broker.requireVersion(name);
            } catch (IllegalArgumentException e) {
                throw new UsageException(String.valueOf(e.getMessage()));
            } catch (BrokerException e) {
                err.println("warning: Whether there is a broker " + name + " cannot be told: " + e.getMessage());
            }
        }
    }

    private int goOn(String which, Sweep.Settings settings, PrintStream console, PrintStream err) throws IOException {
        if (!files.isEmpty() || !sets.isEmpty() || repeat != null || scale != 1 || omb != null || out != null) {
            throw new UsageException("--resume goes on with a sweep as it was begun, so it takes no files and no --set, --scale, "
                    + "--repeat, --omb or --out.");
        }
        Path directory = RunStore.of(System.getenv()).find(which, SweepFiles::isSweep, "sweep");
        if (!dryRun && SweepFiles.isSweep(directory)) {
            // Before its state is read: until then another process may change it.
            try (Closeable _ = SweepFiles.lock(directory)) {
                return goOn(directory, settings, console, err);
            }
        }
        return goOn(directory, settings, console, err);
    }

    private int goOn(Path directory, Sweep.Settings settings, PrintStream console, PrintStream err) throws IOException {
        SweepFiles stored = SweepFiles.open(directory);
        stored.requireSameSources();
        SweepPlan plan = SweepPlan.of(stored.experiments(), settings.drivers(), fallback(), settings.password());
        stored.resume(plan);
        if (dryRun) {
            console.print(plan.text());
            return 0;
        }
        return run(plan, stored, new RunFiles.Place(directory, true), settings, console, err);
    }

    private static int run(SweepPlan plan, SweepFiles files, RunFiles.Place place, Sweep.Settings settings, PrintStream console,
            PrintStream err) throws IOException {
        Sweep sweep = new Sweep(plan, files, place.isKept(), settings, console, err);
        // Ended at once by a second signal, it leaves neither worker nor broker behind, nor files that were not to be kept.
        try (sweep; Interruption interruption = Interruption.install(() -> {
            sweep.close();
            place.end();
        })) {
            interruption.runs(sweep);
            return sweep.run();
        }
    }

    /** The broker for trials that name neither a broker nor a URL: what listens where clients look, or else a new one. */
    static @Nullable BrokerChoice fallback() {
        return Session.isListening() ? null : BrokerChoice.of(BrokerName.parse(Broker.names().getFirst()));
    }
}
