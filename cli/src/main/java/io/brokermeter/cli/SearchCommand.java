package io.brokermeter.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

import io.brokermeter.analysis.limit.LimitAnswer.Quantity;
import io.brokermeter.analysis.limit.LimitSearch.Rules;
import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.ArgumentTree;
import io.brokermeter.experiment.BrokerChoice;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.Option;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.experiment.Workload;
import io.brokermeter.reports.RunStore;
import io.brokermeter.reports.table.TableView;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.Endpoints;
import io.brokermeter.trials.LimitRequest;
import io.brokermeter.trials.LimitTrials;
import io.brokermeter.trials.RunFiles;
import io.brokermeter.trials.SweepRun;
import io.brokermeter.trials.Throwaway;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** The command {@code search}: finds the highest rate, or another number, at which a broker meets goals. */
@Command(name = "search",
    description = "Find the highest rate that a broker takes while it meets goals: short trials at rates that are chosen by those before, until the limit is "
        + "known within 10 %%, a long one at its lower end, and the times at loads below it.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  brokermeter search --broker artemis queue://Q",
        "  brokermeter search --url kafka://127.0.0.1:9092 --goal 'response.p99 < 10ms' --max-pending 1000 topic://T",
        "  brokermeter search --over producers --rate-per-producer 100 --from 1 --to 1000 --quick --broker rabbitmq queue://Q",
        "  brokermeter search scenario.yaml --goal 'send.p99.9 < 20ms' --time 20m",
        "  brokermeter search --resume last",
        "",
        "Exit status: 0 a limit was found, 1 none was, or the generator was the limit, 2 wrong usage,",
        "129, 130 and 143 ended by SIGHUP, Ctrl-C and SIGTERM."})
final class SearchCommand extends RunCommand {

    private static final double CONFIDENCE = 0.98;
    /** Defaults of keys that differ from those of {@code client}, by option. */
    private static final Map<String, String> DEFAULTS = Map.of("--max-pending", "1000", "--warmup", "auto", "--duration", "30s");
    /** The warm-up of trials on agents, none of which can tell alone when all have settled. */
    private static final String WARMUP_OF_AGENTS = "5s";
    private static final String QUICK = "10s";
    private static final Duration CONFIRMATION = Duration.ofMinutes(5);
    private static final Duration QUICK_CONFIRMATION = Duration.ofSeconds(30);
    /** What can be searched beside the rate, by the option whose value it is. */
    private static final Set<String> COUNTS = Set.of("--producers", "--consumers", "--message-size", "--max-pending");
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

    @picocli.CommandLine.Option(names = "--over", order = 2, paramLabel = "rate|producers|consumers|message-size|max-pending",
        defaultValue = "rate",
        description = "What is searched: the rate, or another number of the load, while the rate is what --rate says. Default: ${DEFAULT-VALUE}.")
    String over = "rate";

    @picocli.CommandLine.Option(names = "--from", order = 3, paramLabel = "NUMBER",
        description = "The smallest load of the search. Default: 10/s of a rate, else 1.")
    @Nullable String from;

    @picocli.CommandLine.Option(names = "--to", order = 4, paramLabel = "NUMBER",
        description = "The greatest load of the search. Default: 10M/s of a rate, 16 MiB of a size, else 10,000.")
    @Nullable String to;

    @picocli.CommandLine.Option(names = "--start", order = 5, paramLabel = "NUMBER",
        description = "The load of the first trial; the next ones have twice or half of it until both outcomes were seen. Default: 1000/s of a rate, else the smallest.")
    @Nullable String start;

    @picocli.CommandLine.Option(names = "--width", order = 6, paramLabel = "SHARE", defaultValue = "10%",
        description = "Width of the interval of 98 %% that ends the search: how far its upper end may be above its lower end. Default: 10%%.")
    String width = "10%";

    @picocli.CommandLine.Option(names = "--trials", order = 7, paramLabel = "N", defaultValue = "60",
        description = "The greatest number of trials of the search. Default: ${DEFAULT-VALUE}.")
    int trials = 60;

    @picocli.CommandLine.Option(names = "--time", order = 8, paramLabel = "TIME",
        description = "Limit for the whole search; no trial begins that would not end in time. Default: no limit.")
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
            LimitTrials search = search(drivers, limit);
            made.set(search);
            status = SweepRun.begin(List.of(search.first()), List.of(), RunFiles.of(given().text("--out"), err), settings, search, dryRun);
        }
        LimitTrials measured = made.get();
        Optional<String> json = measured == null ? Optional.empty() : measured.json();
        if (json.isPresent()) {
            files.write(_ -> json.get(), out);
        }
        return status;
    }

    private void requireNothingElse() {
        OptionValues values = given();
        List<String> typed = new ArrayList<>(OF_THE_BEGINNING.stream().filter(values::isTyped).toList());
        options().stream().filter(option -> !OF_ALL_SOURCES.contains(option.heading()) && values.isTyped(option.name()))
            .forEach(option -> typed.add(option.name()));
        if (!typed.isEmpty() || !destinations.isEmpty() || !values.typed(SettingOptions.ofAgents()).isEmpty()) {
            throw new UsageException("--resume goes on with a search as it was begun, so it takes no destination, no file, and "
                + (typed.isEmpty() ? "none of the options about agents." : "not " + String.join(", ", typed) + "."));
        }
    }

    private LimitTrials search(Drivers drivers, @Nullable Duration limit) {
        goals.forEach(Threshold::parse);
        Quantity quantity = quantity();
        Path file = file();
        String text;
        Path base;
        if (file != null) {
            requireLoad();
            Experiment experiment = ScenarioFile.read(file, new Changes(plus("sweep=null"), true).setting(given().keys()));
            text = experiment.yaml();
            base = Objects.requireNonNullElse(file.toAbsolutePath().getParent(), Path.of("/"));
        } else {
            check();
            requireLoad();
            Workload workload = workload(drivers, drivers.firstOf(Broker.protocols(throwaway().name()), throwaway().name().toString()));
            text = ScenarioFile.read(workload.yaml("search", choice(workload), UnaryOperator.identity()), "the options", Path.of(""),
                new Changes(sets, true)).yaml();
            base = Path.of("").toAbsolutePath();
        }
        LimitRequest request =
            new LimitRequest(quantity, rules(), goals.isEmpty() && !hasThresholds(text) ? List.of(LimitTrials.GOAL) : goals,
                unconfirmed ? Duration.ZERO : quick ? QUICK_CONFIRMATION : CONFIRMATION, true, limit);
        return LimitTrials.of(request, text, base);
    }

    private static boolean hasThresholds(String text) {
        return text.startsWith("thresholds:") || text.contains("\nthresholds:");
    }

    private List<String> plus(String set) {
        List<String> all = new ArrayList<>(sets);
        all.add(set);
        if (quick) {
            all.add("duration=" + QUICK);
        }
        return all;
    }

    /** Returns the scenario file that stands in place of destinations; null for none. */
    private @Nullable Path file() {
        if (destinations.size() != 1 || !destinations.getFirst().matches("(?i).*[.]ya?ml")) {
            return null;
        }
        Path file = Path.of(destinations.getFirst());
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
        if (!isOverRate() && given().isTyped("--" + over)) {
            throw new UsageException("--" + over + " is what is searched; give its range by --from and --to.");
        }
        if (!isOverRate() && file() == null && !given().isTyped("--rate") && !given().isTyped("--rate-per-producer")) {
            throw new UsageException(
                "--over " + over + " needs --rate or --rate-per-producer: without one each trial sends as fast as it can, "
                    + "and no number of them is too great.");
        }
    }

    private boolean isOverRate() {
        return over.equals("rate");
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

    private Quantity quantity() {
        if (isOverRate()) {
            return Quantity.RATE;
        }
        if (!COUNTS.contains("--" + over)) {
            throw new UsageException("--over '" + over + "' is none of rate, producers, consumers, message-size, max-pending.");
        }
        String path = SettingOptions.of(true, true).stream().filter(option -> option.names().contains("--" + over)).findFirst()
            .orElseThrow().path();
        return new Quantity(path, over.equals("message-size") ? "bytes" : over.equals("max-pending") ? "in flight" : over);
    }

    private Rules rules() {
        boolean size = over.equals("message-size");
        double least = from == null ? isOverRate() ? 10 : size ? 64 : 1 : number("--from", from);
        double most = to == null ? isOverRate() ? 10e6 : size ? 16 << 20 : 10_000 : number("--to", to);
        double first = start != null ? number("--start", start) : isOverRate() ? Math.clamp(1_000, least, Math.max(least, most)) : least;
        if (!(least > 0 && most >= 2 * least)) {
            throw new UsageException("--from and --to leave nothing to search: --to must be at least twice --from.");
        }
        if (first < least || first > most) {
            throw new UsageException("--start must lie between --from and --to.");
        }
        double narrow = CompareOptions.share("--width", width);
        NumberLimits.atLeast("--trials", trials, 8);
        return new Rules(least, most, first, narrow, CONFIDENCE, trials, !isOverRate());
    }

    private double number(String option, String value) {
        return NumberLimits.read(option, () -> over.equals("message-size") ? (double) Units.bytes(value)
            : (double) Units.count(value.replaceFirst("/s$", "")));
    }
}
