package io.brokermeter.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.brokermeter.analysis.window.FarSide;
import io.brokermeter.analysis.window.WindowChange;
import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.cli.options.CompareOptions;
import io.brokermeter.cli.options.Contradictions;
import io.brokermeter.cli.options.NumberLimits;
import io.brokermeter.cli.options.OptionValues;
import io.brokermeter.cli.options.ReportTarget;
import io.brokermeter.cli.options.ReportTargets;
import io.brokermeter.cli.options.SettingOptions;
import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.ArgumentTree;
import io.brokermeter.experiment.PlanText;
import io.brokermeter.experiment.Trial;
import io.brokermeter.reports.directory.RunStore;
import io.brokermeter.reports.table.TableView;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.RunFiles;
import io.brokermeter.trials.sweep.SweepRun;
import io.brokermeter.trials.sweep.WindowPlan;
import io.brokermeter.trials.sweep.WindowTrials;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code window}: finds what limits a producer or a consumer over distance. */
@Command(name = "window",
    description = "Find what limits a producer or a consumer that is far away from its broker: measure rates over several round trips and sizes of "
        + "messages, tell a window in messages from one in bytes and from a bandwidth, try the settings that govern such windows, and say in one "
        + "sentence which one it is.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  brokermeter window --broker activemq topic://T",
        "  brokermeter window --broker artemis --protocol AMQP --side consumer topic://T",
        "  brokermeter window --broker activemq --set consumers.ackMode=transacted --side consumer topic://PRICES",
        "  brokermeter window --resume last",
        "  brokermeter window --url tcp://broker:61616 --rtt 1ms,20ms,80ms --time 5m --json - queue://Q",
        "",
        "Exit status: 0 answered, whatever the answer, 1 some trials failed, there were too few rates, or curves",
        "contradicted each other or fell unexplained, 2 wrong usage, 129, 130 and 143 ended by SIGHUP, Ctrl-C",
        "and SIGTERM."})
final class WindowCommand extends SweepCommand {

    private static final List<String> OF_THE_BEGINNING =
        List.of("--broker", "--url", "--protocol", "--user", "--side", "--rtt", "--sizes", "--scale", "--set", "--out");
    private static final int LARGEST = 4 << 20;
    private static final Duration LONGEST = Duration.ofSeconds(2);

    @Parameters(paramLabel = "DESTINATION", arity = "0..1", defaultValue = "topic://WINDOW",
        description = "queue://NAME or topic://NAME. A topic is better: what its far consumer has not taken does not stay. Default: ${DEFAULT-VALUE}.")
    String destination = "topic://WINDOW";

    @Option(names = "--broker", order = 3, paramLabel = "NAME[:VERSION]",
        description = "Start this broker, and end it afterwards; 'brokermeter broker --help' lists them. Default: the one on localhost, else artemis.")
    @Nullable String broker;

    @Option(names = "--url", order = 4, paramLabel = "URL", description = "Measure the broker at this URL. Default: none.")
    @Nullable String url;

    @Option(names = "--protocol", order = 5, paramLabel = "NAME",
        description = "Its protocol. Default: by the scheme of --url, else the first that the broker serves.")
    @Nullable String protocol;

    @Option(names = "--user", order = 6, paramLabel = "NAME", description = "User name. Default: none.")
    @Nullable String user;

    @Option(names = "--side", order = 7, paramLabel = "producer|consumer|both", defaultValue = "both",
        description = "Who is far away, one after the other; the other one is near. Default: ${DEFAULT-VALUE}.")
    String side = "both";

    @Option(names = "--rtt", order = 8, paramLabel = "TIME,TIME[,TIME]", defaultValue = "1ms,10ms,30ms,100ms",
        description = "The round trips that are added, ascending, at least two. Default: ${DEFAULT-VALUE}.")
    String rtt = "1ms,10ms,30ms,100ms";

    @Option(names = "--sizes", order = 9, paramLabel = "BYTES[,BYTES]", defaultValue = "256,2048,16384",
        description = "The sizes of messages, ascending. With one size a window in bytes cannot be told from one in messages. "
            + "Default: ${DEFAULT-VALUE}.")
    String sizes = "256,2048,16384";

    @Option(names = "--scale", order = 9, paramLabel = "FACTOR", defaultValue = "1",
        description = "Factor for the length of each trial, 5 to 7 s: 0.2 for a quick look, 3 on a busy machine. Default: ${DEFAULT-VALUE}.")
    double scale = 1;

    @Option(names = {"--time", "--duration"}, order = 10, paramLabel = "TIME", defaultValue = "10m",
        description = "Limit for all trials together; no trial begins that would not end in time. Default: ${DEFAULT-VALUE}.")
    String time = "10m";

    @Option(names = "--set", order = 11, paramLabel = "KEY=VALUE",
        description = "Another value for a key of the scenario that all trials have, as consumers.prefetch=100, consumers.ackMode=transacted, "
            + "producers.maxPending=100 or broker.properties.NAME=VALUE; may be given more than once. Default: none.")
    List<String> sets = new ArrayList<>();

    @Option(names = "--resume", order = 12, paramLabel = "DIR|last",
        description = "Go on with the search in this directory, or with the newest one, that was interrupted or had no more time: its missing trials, then "
            + "the answer again. --time says how long the rest may take. Default: none.")
    @Nullable String resume;

    @Option(names = "--json", order = 16, paramLabel = "FILE", description = "The answer as JSON; - for standard output. Default: none.")
    @Nullable String json;

    @Option(names = "--out", order = 20, paramLabel = "DIR|none",
        description = "Where the files of the trials and the answer go, a new directory; none keeps nothing. "
            + "Default: a new one in ~/.local/state/brokermeter/runs.")
    @Nullable String out;

    @Option(names = "--dry-run", order = 21, description = "Print what would be measured, or with --resume what is left, and start "
        + "nothing. Default: off.")
    boolean dryRun;

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
        Drivers drivers = Drivers.load();
        ReportTargets files = new ReportTargets().with("--json", json);
        files.require();
        if (!(scale >= 0.05 && scale <= 100)) {
            throw new UsageException("--scale " + scale + " must be from 0.05 to 100.");
        }
        Duration limit = CompareOptions.duration("--time", time);
        SweepRun.Settings settings =
            new OptionValues(spec).settings(drivers, TableView.MARKDOWN, files.takeStandardOutput() ? err : console, err);
        if (resume != null) {
            return goOn(resume, drivers, limit, settings, files, console);
        }
        WindowTrials measured = WindowTrials.of(request(drivers), drivers, limit);
        require(measured.plan(), limit);
        int status = SweepRun.begin(measured.plan().experiments(), List.of(), RunFiles.of(out, err), settings, measured, dryRun);
        if (dryRun) {
            settings.around().out()
                .println("Of the changes those are measured that fit what was found, at most " + WindowChange.MOST + " of each side.");
        }
        write(measured, files, console);
        return status;
    }

    private static void write(@Nullable WindowTrials measured, ReportTargets files, PrintStream console) throws IOException {
        Optional<String> answer = measured == null ? Optional.empty() : measured.json();
        if (answer.isPresent()) {
            files.write(_ -> ReportTarget.bytes(answer.get()), console);
        }
    }

    private int goOn(String which, Drivers drivers, Duration limit, SweepRun.Settings settings, ReportTargets files,
            PrintStream console) throws IOException {
        OptionValues values = new OptionValues(spec);
        if (OF_THE_BEGINNING.stream().anyMatch(values::isTyped) || !values.typed(SettingOptions.ofWindowKeys()).isEmpty()
            || spec.commandLine().getParseResult().hasMatchedPositional(0)) {
            throw new UsageException("--resume goes on with what was begun, so it takes no destination and none of "
                + String.join(", ", OF_THE_BEGINNING) + ", and none of those about the load.");
        }
        Path directory = RunStore.of(System.getenv()).find(which, WindowTrials::isIn, "search of window");
        AtomicReference<@Nullable WindowTrials> rest = new AtomicReference<>();
        int status = SweepRun.resume(directory, settings, kept -> {
            WindowTrials trials = WindowTrials.rest(kept, drivers, hasTime() ? limit : null);
            rest.set(trials);
            return trials;
        }, dryRun);
        write(rest.get(), files, console);
        return status;
    }

    /** Returns whether the command line or the environment says how long the trials may take. */
    boolean hasTime() {
        OptionSpec limit = spec.findOption("--time");
        return limit != null && new OptionValues(spec).isSet(limit);
    }

    private WindowPlan.Request request(Drivers drivers) {
        OptionValues values = new OptionValues(spec);
        Contradictions.refuse(spec, arg -> arg instanceof OptionSpec option && values.isSet(option));
        Map<String, String> access = new LinkedHashMap<>();
        BrokerName name = broker != null ? named(broker)
            : url == null && !Drivers.isListening() ? BrokerName.parse(Broker.names().getFirst()) : null;
        if (name != null) {
            access.put("broker.name", name.toString());
        }
        if (url != null) {
            access.put("url", url);
        }
        if (user != null) {
            access.put("user", user);
        }
        String otherwise = name == null ? "CORE" : drivers.firstOf(Broker.protocols(name), name.toString());
        String chosen = protocol != null ? drivers.named(protocol, "--protocol") : drivers.ofUrl(url, otherwise);
        access.put("protocol", chosen);
        return WindowPlan.Request.of(its -> {
            its.sides = sides();
            its.roundTrips = roundTrips();
            its.sizes = sizes();
            its.access = access;
            its.protocol = chosen;
            its.broker = name == null ? "" : name.name();
            its.destination = destination;
            its.scale = scale;
            its.sets = Stream.concat(sets.stream(), values.windowKeys().stream()).toList();
        });
    }

    private static BrokerName named(String text) {
        ArgumentTree tree = new ArgumentTree();
        tree.set("broker.name", text, "--broker");
        return tree.broker().name();
    }

    private List<FarSide> sides() {
        return switch (side.toLowerCase(Locale.ROOT)) {
            case "both" -> List.of(FarSide.PRODUCER, FarSide.CONSUMER);
            case "producer" -> List.of(FarSide.PRODUCER);
            case "consumer" -> List.of(FarSide.CONSUMER);
            default -> throw new UsageException("--side '" + side + "' is none of producer, consumer, both.");
        };
    }

    private List<Duration> roundTrips() {
        List<String> rtts = List.of(rtt.split(","));
        List<Duration> all = rtts.stream().map(text -> CompareOptions.duration("--rtt", text)).toList();
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).compareTo(Duration.ofNanos(100_000)) < 0 || all.get(i).compareTo(LONGEST) > 0) {
                throw new UsageException("--rtt " + rtts.get(i).strip() + " must be from 100us to 2s.");
            }
            if (i > 0 && all.get(i).compareTo(all.get(i - 1)) <= 0) {
                throw new UsageException("--rtt must ascend: " + rtts.get(i) + " comes behind " + rtts.get(i - 1) + ".");
            }
        }
        if (all.size() < 2 || all.getLast().compareTo(all.getFirst().multipliedBy(4)) < 0) {
            throw new UsageException(
                "--rtt needs at least two round trips, the longest at least four times the shortest, like 1ms,10ms,100ms.");
        }
        return all;
    }

    private List<Integer> sizes() {
        List<Integer> all = new ArrayList<>();
        for (String text : sizes.split(",")) {
            int size = NumberLimits.read("--sizes", () -> Units.bytes(text.strip()));
            if (size < 28 || size > LARGEST) {
                throw new UsageException("--sizes " + text + " must be from 28 B, what the envelope takes, to 4 MiB.");
            }
            if (!all.isEmpty() && size <= all.getLast()) {
                throw new UsageException("--sizes must ascend.");
            }
            all.add(size);
        }
        return all;
    }

    /**
     * Checks that the trials over all distances fit into the time limit; of the changed settings, only as many are tried as fit into it.
     *
     * @throws UsageException when they do not fit
     */
    private void require(WindowPlan plan, Duration limit) {
        Duration needed = Duration.ZERO;
        for (WindowPlan.Half half : plan.halves()) {
            for (Trial trial : half.distances().trials()) {
                needed = needed.plus(PlanText.estimate(trial).orElse(Duration.ZERO));
            }
        }
        if (needed.compareTo(limit) > 0) {
            throw new UsageException("--time " + time + " is too short: the rates over all distances alone take about "
                + needed.toSeconds() + " s; ask for fewer --sizes or --rtt, or for one --side.");
        }
    }
}
