package io.brokermeter.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import io.brokermeter.brokers.BrokerException;
import io.brokermeter.cli.options.LoginOptions;
import io.brokermeter.cli.options.ObservationOptions;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.reports.ConsoleOptions;
import io.brokermeter.reports.RunDirectory;
import io.brokermeter.reports.RunStore;
import io.brokermeter.spi.Secret;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Does the same again as a run or a sweep whose files were kept. */
@Command(name = "replay",
        description = "Do the same again as an earlier run or sweep, with the same seed, from the files that it left.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  brokermeter replay last",
            "  brokermeter replay last~2 --out again",
            "  brokermeter replay sweep/trials/003-async-send"})
final class ReplayCommand {

    @Parameters(paramLabel = "last|last~N|DIR", arity = "0..1", defaultValue = "last",
            description = "The last run that came to its end, the Nth such before it, or the directory of one. Default: ${DEFAULT-VALUE}.")
    String which = "last";

    @Option(names = "--out", order = 1, paramLabel = "DIR|none",
            description = "Where the files of the run go, a new directory; none keeps nothing. "
                + "Default: a new one in ~/.local/state/brokermeter/runs.")
    @Nullable String out;

    @Option(names = "--show-latency", order = 2, description = "Latency lines in the live output. Default: off.")
    boolean showLatency;

    @Option(names = "--silent", order = 3, description = "No live output; the summary is printed all the same. Default: off.")
    boolean silent;

    @Option(names = "--verbose", order = 4,
            description = "What the clients log, and the stack trace behind an error. Default: off.")
    boolean verbose;

    @Mixin(name = Heading.LOGIN)
    final LoginOptions login = new LoginOptions();

    @Mixin(name = Heading.OBSERVATION)
    final ObservationOptions observation = new ObservationOptions();

    /** Whether a directory has a run, or a sweep, that came to its end and can be done again. */
    static boolean isFinished(Path directory) {
        return SweepFiles.isSweep(directory) ? SweepFiles.isFinished(directory)
                : Files.isRegularFile(directory.resolve(RunDirectory.SCENARIO))
                        && Files.isRegularFile(directory.resolve(RunDirectory.RESULT));
    }

    /**
     * Runs and returns the exit status.
     *
     * @throws UsageException for what the user must change; nothing was started
     */
    int run(PrintStream console, PrintStream err) throws IOException, RunFailure, BrokerException {
        observation.observation();
        Drivers drivers = Drivers.load();
        Path directory = RunStore.of(System.getenv()).find(which, ReplayCommand::isFinished, "finished run");
        RunFiles places = RunFiles.of(out, err);
        Secret password = Passwords.resolve(login.password, login.passwordFile, "--password");
        if (SweepFiles.isSweep(directory)) {
            List<Experiment> experiments = SweepFiles.open(directory).experiments();
            Sweep.Settings settings = new Sweep.Settings(drivers, password,
                    Arrays.asList(observation.pids, observation.jmx, observation.metrics), observation.metricNames);
            return RunFilesCommand.begin(experiments, List.of(), places, settings, false, console, err);
        }
        Path scenario = directory.resolve(RunDirectory.SCENARIO);
        if (!Files.isRegularFile(scenario)) {
            throw new UsageException(directory + " is not the directory of a run: it has no " + RunDirectory.SCENARIO + ".");
        }
        Experiment experiment = ScenarioFile.read(scenario, Changes.NONE);
        ConsoleOptions options =
                new ConsoleOptions(showLatency, silent, verbose, ProgressLine.isTerminal(), Terminal.columns(), observation.show);
        return new Replay(drivers, experiment, password, observation.observation(), places, options, console, err).run();
    }
}
