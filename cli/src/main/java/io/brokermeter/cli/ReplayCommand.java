package io.brokermeter.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.brokermeter.brokers.BrokerException;
import io.brokermeter.cli.options.Formats;
import io.brokermeter.cli.options.OptionValues;
import io.brokermeter.cli.options.Passwords;
import io.brokermeter.cli.options.SettingOptions;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.access.EndpointChoice;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.directory.RunInputs;
import io.brokermeter.reports.screen.ConsoleOptions;
import io.brokermeter.reports.stored.KeptRuns;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.trials.CommandContext;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.Endpoints;
import io.brokermeter.trials.OneRun;
import io.brokermeter.trials.ReportPaths;
import io.brokermeter.trials.RunFiles;
import io.brokermeter.trials.Terminal;
import io.brokermeter.trials.Throwaway;
import io.brokermeter.trials.sweep.SweepFiles;
import io.brokermeter.trials.sweep.SweepPlan;
import io.brokermeter.trials.sweep.SweepPurpose;
import io.brokermeter.trials.sweep.SweepRun;
import io.brokermeter.trials.worker.WorkerLauncher;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code replay}: repeats a run or a sweep whose files were kept. */
@Command(name = "replay",
    description = "Repeat an earlier run or sweep, with the same seed, from the files that it left.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  brokermeter replay last",
        "  brokermeter replay last~2 --out again",
        "  brokermeter replay sweep/trials/003-async-send"})
final class ReplayCommand implements Action.Measuring {

    @Parameters(paramLabel = "last|last~N|NAME|DIR", arity = "0..1", defaultValue = "last",
        description = "The newest run or sweep that measured anything and has ended, the Nth one before it, the name of one, or its "
            + "directory. Default: ${DEFAULT-VALUE}.")
    String which = "last";

    @Option(names = "--property", order = 1, paramLabel = "NAME=VALUE",
        description = "A parameter of the client whose value is a password, which the files of the run do not keep. "
            + "Default: asked for on the terminal.")
    List<String> properties = new ArrayList<>();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    CommandSpec spec;

    /**
     * Asks on the terminal for the password that the kept files lack; returns null when they lack none.
     *
     * @throws UsageException when there is no answer
     */
    private static @Nullable Secret password(Workload workload) {
        EndpointChoice wants =
            workload.groups().stream().map(Workload.Group::access).filter(EndpointChoice::wantsPassword).findFirst().orElse(null);
        if (wants == null) {
            return null;
        }
        Secret answer = Passwords.asked("Password of " + Endpoints.owner(wants));
        if (answer == null) {
            throw new UsageException("The files of a run keep no passwords: give that of " + Endpoints.owner(wants)
                + " with --password-file or " + EndpointChoice.PASSWORD_VARIABLE + ".");
        }
        return answer;
    }

    private Map<String, String> secrets(Workload workload) {
        Map<String, String> secrets = new OptionValues(spec).named("--property");
        List<String> hidden =
            workload.groups().stream().map(Workload.Group::access).flatMap(access -> access.hidden().stream()).distinct().toList();
        for (String name : secrets.keySet()) {
            if (!hidden.contains(name)) {
                throw new UsageException("--property " + name + " is nothing that the files of this run leave out"
                    + (hidden.isEmpty() ? "." : "; they leave out " + String.join(", ", hidden) + "."));
            }
        }
        for (String name : hidden) {
            if (!secrets.containsKey(name)) {
                Secret answer = Passwords.asked("Parameter " + name);
                if (answer == null) {
                    throw new UsageException("The files of a run keep no passwords: give the parameter " + name
                        + " with --property " + name + "=VALUE, or BROKERMETER_PROPERTY, which no list of processes shows.");
                }
                secrets.put(name, answer.reveal());
            }
        }
        return secrets;
    }

    /**
     * Refuses what {@code ab} and {@code window} left: after each trial they decide whether and how to go on, so all of their trials
     * alone would take longer and answer nothing.
     */
    private static void requirePlain(Path directory) {
        String command = SweepFiles.command(directory);
        if (!command.equals("run")) {
            throw new UsageException(directory + " was begun by " + command + ", which replay does not repeat: give " + command
                + " its options again, or replay one of the trials in " + directory.resolve("trials") + ".");
        }
    }

    @Override
    public boolean verbose() {
        return new OptionValues(spec).isOn("--verbose");
    }

    /**
     * Runs and returns the exit status.
     *
     * @throws UsageException for what the user must change; nothing was started
     */
    @Override
    public int run(PrintStream console, PrintStream err) throws IOException, RunFailure, BrokerException {
        if (verbose()) {
            ClientLog.beVerbose();
        }
        Consumer<String> notes = note -> err.println("note: " + note);
        OptionValues values = new OptionValues(spec);
        values.watching().observation();
        Drivers drivers = Drivers.load();
        Path directory = KeptRuns.of(System.getenv()).find(which);
        RunFiles places = RunFiles.of(values.text("--out"), err);
        if (SweepFiles.isSweep(directory)) {
            requirePlain(directory);
            if (!properties.isEmpty()) {
                throw new UsageException("--property is for a run, not for a sweep.");
            }
            for (String option : SettingOptions.OF_REPLAYED_RUN) {
                if (values.isTyped(option)) {
                    throw new UsageException(option + " is for a run, not for a sweep, whose trials have no live output.");
                }
            }
            return SweepRun.begin(SweepFiles.open(directory).experiments(notes), List.of(), places,
                values.settings(drivers, Formats.tables(List.of(), false), console, err), SweepPurpose.TABLES, false);
        }
        Path scenario = directory.resolve(RunDirectory.SCENARIO);
        if (!Files.isRegularFile(scenario)) {
            throw new UsageException(directory + " is not the directory of a run: it has no " + RunDirectory.SCENARIO + ".");
        }
        Experiment experiment =
            ScenarioFile.read(scenario, Changes.NONE.reading(RunInputs.copies(RunInputs.kept(List.of(directory)), notes)));
        Map<String, String> secrets = secrets(experiment.trials().getFirst().workload());
        Secret typed = values.password();
        Secret password = typed == null ? password(experiment.trials().getFirst().workload()) : typed;
        boolean owned = values.isOn("--i-own-this-broker");
        SweepPlan.Step step = SweepPlan.of(List.of(experiment.revealed(secrets)), drivers, password, owned).steps().getFirst();
        Formats shown = Formats.of(values.text("--format"), false);
        ConsoleOptions options =
            new ConsoleOptions(values.isOn("--show-latency"), values.isOn("--silent"), verbose(), shown.status(), Terminal.columns(),
                values.isOn("--show-broker"));
        return new OneRun(experiment.name(), step.trial().workload(), step.broker() == null ? null : Throwaway.of(step.broker()),
            step.endpoints(drivers, password), values.watching().observation(), owned,
            new OneRun.Outputs(places, ReportPaths.none(console), options, shown.screen(), io.brokermeter.experiment.table.Option::inFile,
                true,
                new CommandContext(WorkerLauncher.here(Main.class), console, err)))
            .run(List.of());
    }
}
