package io.brokermeter.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.cli.options.CompareOptions;
import io.brokermeter.cli.options.OptionValues;
import io.brokermeter.cli.options.ReportTarget;
import io.brokermeter.cli.options.ReportTargets;
import io.brokermeter.cli.options.SettingOptions;
import io.brokermeter.cli.options.Throwaways;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.ArgumentTree;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.experiment.Search;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.access.BrokerChoice;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.reports.directory.RunStore;
import io.brokermeter.reports.table.TableView;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.Endpoints;
import io.brokermeter.trials.RunFiles;
import io.brokermeter.trials.Throwaway;
import io.brokermeter.trials.sweep.LimitTrials;
import io.brokermeter.trials.sweep.SweepPurpose;
import io.brokermeter.trials.sweep.SweepRun;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** The command {@code search}: finds the highest rate, or another number, at which a broker meets goals. */
@Command(name = "search",
    description = "Find the highest rate that a broker takes while it meets goals: short trials at rates that are chosen by those before, until the limit is "
        + "known within 10 %%, a long one at its lower end, and the times at loads below it. "
        + "A scenario FILE may stand in place of the destination.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  brokermeter search --broker artemis queue://Q",
        "  brokermeter search --url kafka://127.0.0.1:9092 --goal 'response.p99 < 10ms' --max-pending 1000 topic://T",
        "  brokermeter search --over producers --rate-per-producer 200 --from 1 --to 1000 --quick --broker rabbitmq queue://Q",
        "  brokermeter search --over producers=1,2,4,8 --time 1h --broker artemis queue://Q",
        "  brokermeter search scenario.yaml --goal 'send.p99.9 < 20ms' --time 20m",
        "  brokermeter search --resume last",
        "",
        "Exit status: 0 a limit was found, 1 none was, or the generator was the limit, 2 wrong usage,",
        "129, 130 and 143 ended by SIGHUP, Ctrl-C and SIGTERM."})
final class SearchCommand extends RunCommand {

    /** Defaults of keys that differ from those of {@code client}, by option. */
    private static final Map<String, String> DEFAULTS =
        Map.of("--max-pending", "1000", "--warmup", Search.WARMUP, "--duration", Search.DURATION);
    /** The warm-up of trials on agents, none of which can tell alone when all have settled. */
    private static final String WARMUP_OF_AGENTS = "5s";
    private static final String QUICK = "10s";
    private static final String QUICK_CONFIRMATION = "30s";
    /** The options that set keys of the section {@code search} of a file; their names without the dashes are those of the keys. */
    private static final List<String> OF_SEARCH = List.of("--over", "--from", "--to", "--start", "--width", "--trials", "--time");
    private static final Set<String> OF_LOAD = Set.of("--rate", "--rate-per-producer", "--load", "--message-count", "--cmessages");
    private static final List<String> OF_THE_BEGINNING =
        List.of("--goal", "--over", "--from", "--to", "--start", "--width", "--trials", "--quick", "--no-confirmation", "--set");
    /** The headings of the options that trials have as well; those of one run's output are not among them. */
    private static final Set<String> OF_RUNS = Set.of("Output");
    private static final Set<String> KEPT = Set.of("--out", "--verbose");
    private static final Set<String> OF_ALL_SOURCES = Set.of("Login", "Broker under test", "Output", SettingOptions.AGENTS);

    @picocli.CommandLine.Option(names = "--goal", order = 1, paramLabel = "LIMIT",
        description = "A limit that a figure of each trial must keep, like 'response.p99 < 10ms' or 'lost == 0'; nothing may be lost or fail, and the rate must "
            + "be kept, in any case. May be given more than once. Default: " + LimitTrials.GOAL + ".")
    List<String> goals = new ArrayList<>();

    @picocli.CommandLine.Option(names = "--over", order = 2, paramLabel = "WHAT|WHAT=N,N,...",
        description = "What is searched: the rate, or the number of producers, consumers or destinations, message-size or max-pending, while the rate is what "
            + "--rate says. With values, the rate is searched at each of them: producers=1,2,4,8. Default: rate.")
    @Nullable String over;

    @picocli.CommandLine.Option(names = "--from", order = 3, paramLabel = "NUMBER",
        description = "The smallest load of the search. Default: 10/s of a rate, 64 of a size, else 1.")
    @Nullable String from;

    @picocli.CommandLine.Option(names = "--to", order = 4, paramLabel = "NUMBER",
        description = "The greatest load of the search. Default: 10M/s of a rate, 16 MiB of a size, else 10,000.")
    @Nullable String to;

    @picocli.CommandLine.Option(names = "--start", order = 5, paramLabel = "NUMBER",
        description = "The load of the first trial; the next ones have twice or half of it until both outcomes were seen. Default: 1000/s of a rate, else the smallest.")
    @Nullable String start;

    @picocli.CommandLine.Option(names = "--width", order = 6, paramLabel = "SHARE",
        description = "Width of the interval of 98 %% that ends the search: how far its upper end may be above its lower end. Default: 10%%.")
    @Nullable String width;

    @picocli.CommandLine.Option(names = "--trials", order = 7, paramLabel = "N",
        description = "The greatest number of trials of a search. Default: 60.")
    @Nullable String trials;

    @picocli.CommandLine.Option(names = "--time", order = 8, paramLabel = "TIME",
        description = "Limit for all of it; no trial begins that would not end in time. Default: no limit.")
    @Nullable String time;

    @picocli.CommandLine.Option(names = "--quick", order = 9,
        description = "Trials of 10 s, and a last one of 30 s, in place of 30 s and 5 min; the interval is as honest, and more often wide. Default: off.")
    boolean quick;

    @picocli.CommandLine.Option(names = "--no-confirmation", order = 10,
        description = "No long trial at the lower end of the interval. Default: off.")
    boolean unconfirmed;

    @picocli.CommandLine.Option(names = "--set", order = 11, paramLabel = "KEY=VALUE",
        description = "Another value for a key of the scenario that all trials have; may be given more than once. Default: none.")
    List<String> sets = new ArrayList<>();

    @picocli.CommandLine.Option(names = "--resume", order = 12, paramLabel = "DIR|last",
        description = "Go on with the search in this directory, or with the newest one, that was interrupted or had no more time. Default: none.")
    @Nullable String resume;

    @picocli.CommandLine.Option(names = "--answer", order = 13, paramLabel = "FILE",
        description = "The answer as JSON; - for standard output. Default: none.")
    @Nullable String answer;

    @picocli.CommandLine.Option(names = "--dry-run", order = 14,
        description = "Print what the first trial would be, and start nothing. Default: off.")
    boolean dryRun;

    SearchCommand() {
        super(true, true);
    }

    /** Returns the options of {@code client} that trials have as well, with the defaults of this command in their help. */
    static List<Option> options() {
        return SettingOptions.of(true, true).stream()
            .filter(option -> !OF_RUNS.contains(option.heading()) || KEPT.contains(option.name()))
            .filter(option -> !option.heading().equals("Faults") && !option.name().equals("--show-broker"))
            .map(option -> DEFAULTS.containsKey(option.name()) ? option.withDefaultInHelp(DEFAULTS.get(option.name())) : option).toList();
    }

    @Override
    public boolean isMeasuring() {
        return !dryRun;
    }

    @Override
    void defaults(ArgumentTree tree) {
        boolean agents = !given().typed(SettingOptions.ofAgents()).isEmpty();
        DEFAULTS.forEach((option, value) -> tree.set(
            options().stream().filter(one -> one.name().equals(option)).findFirst().orElseThrow().path(),
            option.equals("--duration") && quick ? QUICK : option.equals("--warmup") && agents ? WARMUP_OF_AGENTS : value, option));
    }

    @Override
    public int run(PrintStream out, PrintStream err) throws IOException {
        ReportTargets files = new ReportTargets().with("--answer", answer);
        files.require();
        Duration limit = time == null ? null : CompareOptions.duration("--time", time);
        Drivers drivers = Drivers.load();
        SweepRun.Settings settings = given().settings(drivers, TableView.MARKDOWN, files.takeStandardOutput() ? err : out, err);
        AtomicReference<@Nullable LimitTrials> made = new AtomicReference<>();
        int status;
        if (resume != null) {
            requireNothingElse();
            Path directory = RunStore.of(System.getenv()).find(resume, LimitTrials::isIn, "search");
            status = SweepRun.resume(directory, settings, kept -> {
                LimitTrials rest = LimitTrials.rest(kept, limit);
                made.set(rest);
                return rest;
            }, dryRun);
        } else {
            LimitTrials search = LimitTrials.of(experiment(drivers), SweepPurpose.TABLES);
            made.set(search);
            status = search.begin(List.of(), RunFiles.of(given().text("--out"), err), settings, dryRun);
        }
        LimitTrials measured = made.get();
        Optional<String> json = measured == null ? Optional.empty() : measured.json();
        if (json.isPresent()) {
            files.write(_ -> ReportTarget.bytes(json.get()), out);
        }
        return status;
    }

    private void requireNothingElse() {
        OptionValues values = given();
        List<String> typed = new ArrayList<>(OF_THE_BEGINNING.stream().filter(values::isTyped).toList());
        options().stream().filter(option -> !OF_ALL_SOURCES.contains(option.heading()) && values.isTyped(option.name()))
            .forEach(option -> typed.add(option.name()));
        if (!typed.isEmpty() || !destinations().isEmpty() || !values.typed(SettingOptions.ofAgents()).isEmpty()) {
            throw new UsageException("--resume goes on with a search as it was begun, so it takes no destination, no file, and "
                + (typed.isEmpty() ? "none of the options about agents." : "not " + String.join(", ", typed) + "."));
        }
    }

    private Experiment experiment(Drivers drivers) {
        goals.forEach(Threshold::parse);
        requireLoad();
        Path file = file();
        if (file != null) {
            return searching(changes -> ScenarioFile.read(file, changes.setting(searched(given().keys()))));
        }
        check();
        Workload workload = workload(drivers, drivers.firstOf(Broker.protocols(throwaway().name()), throwaway().name().toString()));
        String text = workload.yaml("search", choice(workload), UnaryOperator.identity());
        return searching(changes -> ScenarioFile.read(text, "the options", Path.of("").toAbsolutePath(),
            changes.setting(searched(List.of()))));
    }

    /** Returns an experiment that searches, whether or not its file says so. */
    private Experiment searching(Function<Changes, Experiment> reader) {
        List<String> plain = plain();
        Experiment experiment = reader.apply(new Changes(plain, true).keeping(goals));
        if (experiment.search() != null) {
            return experiment;
        }
        plain.add("search=true");
        return reader.apply(new Changes(plain, true).keeping(goals));
    }

    /** Returns keys, and those of the section of a file that options of this command set. */
    private List<Changes.Set> searched(List<Changes.Set> others) {
        return Stream.concat(others.stream(), OF_SEARCH.stream().filter(given()::isTyped).map(option -> new Changes.Set(
            "search." + option.substring(2), String.valueOf(given().text(option)), option, false))).toList();
    }

    private List<String> plain() {
        List<String> plain = new ArrayList<>(sets);
        if (quick && file() != null) {
            plain.add("duration=" + QUICK);
        }
        if (quick || unconfirmed) {
            plain.add("search.confirmation=" + (unconfirmed ? "0" : QUICK_CONFIRMATION));
        }
        return plain;
    }

    /** Returns the scenario file that stands in place of destinations; null for none. */
    private @Nullable Path file() {
        if (destinations().size() != 1 || !destinations().getFirst().matches("(?i).*[.]ya?ml")) {
            return null;
        }
        Path file = Path.of(destinations().getFirst());
        if (!Files.exists(file)) {
            throw new UsageException("Scenario file " + file + " does not exist.");
        }
        return file;
    }

    private void requireLoad() {
        for (String option : OF_LOAD) {
            if (given().isTyped(option) && (isOverRate() || !option.startsWith("--rate"))) {
                throw new UsageException(option + " contradicts the search: "
                    + (isOverRate() ? "the rate of each trial is what is searched, and trials end by --duration."
                        : "trials end by --duration."));
            }
        }
        String varied = over == null ? "rate" : over.replaceFirst("=.*", "");
        String option = varied.equals("destinations") ? "--num-destinations" : "--" + varied;
        if (!varied.equals("rate") && given().isTyped(option)) {
            throw new UsageException(
                option + " is what varies in the search" + (isOverRate() ? "." : "; give its range by --from and --to."));
        }
    }

    private boolean isOverRate() {
        return over == null || over.equals("rate") || over.contains("=");
    }

    private Throwaway throwaway() {
        return Throwaways.of(given(), broker());
    }

    /** Returns the broker to start for all trials; null for one that runs. */
    private @Nullable BrokerChoice choice(Workload workload) {
        boolean starts = Endpoints.isOpen(workload) && (broker() != null || !Drivers.isListening());
        Throwaway broker = throwaway();
        BrokerName name = broker.name();
        return starts ? new BrokerChoice(name, broker.options(), BrokerChoice.Fresh.SWEEP, Duration.ZERO) : null;
    }
}
