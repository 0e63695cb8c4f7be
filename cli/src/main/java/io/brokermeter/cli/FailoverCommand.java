package io.brokermeter.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.cli.options.NumberLimits;
import io.brokermeter.cli.options.SettingOptions;
import io.brokermeter.cli.options.Throwaways;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.ArgumentTree;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.access.EndpointChoice;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.reports.screen.ScorecardText;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.Endpoints;
import io.brokermeter.trials.network.Interruption;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** The command {@code failover}: breaks a broker that it starts under a steady load, and scores how the clients recover. */
@Command(name = "failover",
    description = "Start a broker, keep a steady load on it, break it, and score how the clients got over it: the time without a message, the time until "
        + "all is as before, what was lost and what came twice.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  brokermeter failover --broker activemq --topology master-slave",
        "  brokermeter failover --broker artemis --topology primary-backup --fault pause --repeat 3",
        "  brokermeter failover --broker kafka --topology 3-nodes --fault 'kill node 2' --rate 5k",
        "",
        "Exit status: 0 the clients got over it and nothing that was confirmed is lost, 1 not so in one of the runs,",
        "or not known, since nothing was confirmed before the fault or the load was over before it, 2 wrong usage,",
        "3 the generator was measured, 99 all got over it and one missed a threshold, 129, 130 and 143 ended by",
        "SIGHUP, Ctrl-C and SIGTERM."})
final class FailoverCommand extends RunCommand {

    private static final int FAILED = 1;
    private static final String AT = "15s";
    private static final String FOR = "10s";
    private static final String BROKER = "artemis";
    private static final String FORMAT = "screen";
    private static final String FAULT = "kill";
    /** Defaults of keys that differ from those of {@code client}, by option. */
    private static final Map<String, String> DEFAULTS = Map.of("--rate", "1000", "--max-pending", "1000", "--warmup", "5s", "--duration",
        "60s", "--drain-timeout", "30s", "--reconnect", "500ms");
    /** Other defaults that differ, as the help shows them, by option. */
    private static final Map<String, String> DEFAULTS_IN_HELP = Map.of("--broker", BROKER, "--format", FORMAT, "--fault", FAULT, "--url",
        "a broker started for this run", "--persistent", "on where the protocol has persistent messages", "--request-reply",
        "off; refused, since requests and replies do not survive lost connections");
    /** The beginning of a target that is a process which was not started for the run. */
    private static final Pattern FOREIGN = Pattern.compile("(?i)(?:pid|port)[ =]");

    @picocli.CommandLine.Option(names = "--repeat", order = 2, paramLabel = "N", defaultValue = "1",
        description = "Number of runs, each with a broker of its own; the scorecard of several has ranges. Default: ${DEFAULT-VALUE}.")
    int repeat = 1;

    FailoverCommand() {
        super(true, true);
    }

    /** Returns the options of {@code client} with the defaults of this command in their help. */
    static List<Option> options() {
        return SettingOptions.of(true, true).stream().map(option -> {
            String own = DEFAULTS.getOrDefault(option.name(), DEFAULTS_IN_HELP.get(option.name()));
            return own == null ? option : option.withDefaultInHelp(own);
        }).toList();
    }

    @Override
    String broker() {
        return Objects.requireNonNullElse(given().text("--broker"), BROKER);
    }

    @Override
    String format() {
        return Objects.requireNonNullElse(super.format(), FORMAT);
    }

    @Override
    boolean isScored() {
        return true;
    }

    @Override
    void defaults(ArgumentTree tree) {
        if (given().isOn("--request-reply")) {
            throw new UsageException(
                "failover breaks connections and restores them, which requests and replies do not survive; leave out "
                    + "--request-reply.");
        }
        for (Option option : SettingOptions.below(Throwaways.HEADING)) {
            if (given().text("--url") != null && given().isTyped(option.name())) {
                throw new UsageException(option.name() + " is about a broker that is started for the run, and --url names one that runs.");
            }
        }
        for (Option option : SettingOptions.of(sends, receives)) {
            String value = DEFAULTS.get(option.name());
            if (value != null && !(option.name().equals("--rate") && given().text("--rate-per-producer") != null)) {
                tree.set(option.path(), value, option.name());
            }
        }
    }

    @Override
    void complete(ArgumentTree tree, Drivers drivers, String protocol) {
        List<String> wanted = given().list("--fault");
        String topology = Objects.requireNonNullElse(given().text("--broker-topology"), BrokerOptions.SINGLE);
        String broker = given().text("--url") == null ? broker() : null;
        tree.set("faults", (wanted.isEmpty() ? List.of(FAULT) : wanted).stream().map(fault -> whole(fault, broker, topology)).toList(),
            "--fault");
        if (canPersist(tree.workload(0), drivers, protocol)) {
            tree.set("message.persistent", "true", "--persistent");
        }
    }

    /** Returns whether the producers' access has persistent messages; the plan would refuse them where it has none. */
    private static boolean canPersist(Workload workload, Drivers drivers, String protocol) {
        EndpointChoice way = workload.groups().getFirst().access();
        String url = way.url();
        Driver driver = drivers.get(protocol);
        try {
            ConnectionSettings settings =
                way.endpoint(protocol, url == null || Endpoints.isOpen(workload) ? drivers.localUrl(protocol) : url, null).settings();
            driver.check(settings);
            return driver.capabilities(settings).contains(Capability.PERSISTENCE);
        } catch (IllegalArgumentException e) {
            return false; // the plan refuses these settings, and says why
        }
    }

    /**
     * Returns a fault with its missing parts filled in: the target, the moment and the duration.
     *
     * @param broker the broker that is started for the run, or null for one that runs already
     */
    static String whole(String text, @Nullable String broker, String topology) {
        return Fault.complete(text.replaceFirst("(?i)^\\s*partition(?!\\S)", Fault.Action.BLACKHOLE.word()),
            action -> action.subject() == Fault.Subject.CONNECTION ? Fault.CONNECTION
                : broker == null ? Fault.BROKER : Broker.leader(BrokerName.parse(broker), topology),
            AT,
            (action, target) -> {
                // The other processes of a topology are to take over; a single process must come back, if it can be started again here.
                boolean ends = action.endsProcess()
                    && (broker == null || !topology.equals(BrokerOptions.SINGLE) || FOREIGN.matcher(target).lookingAt());
                return ends || !action.takesLength() || action.subject() == Fault.Subject.COMMAND ? "" : FOR;
            });
    }

    @Override
    public int run(PrintStream out, PrintStream err) throws Exception {
        NumberLimits.atLeast("--repeat", repeat, 1);
        if (repeat > 1) {
            for (String file : SettingOptions.ofReports()) {
                if (given().path(file) != null) {
                    throw new UsageException(file + " is about one run; the files of each of several are in its directory.");
                }
            }
            if (given().text("--out") != null && !"none".equals(given().text("--out"))) {
                throw new UsageException("--out names the directory of one run; leave it out, and each of several gets its own.");
            }
        }
        List<RunResult> results = new ArrayList<>();
        boolean known = true;
        for (int i = 1; i <= repeat; i++) {
            if (i > 1) {
                // One that came while the broker of the run before was shut down ended nothing.
                int signal = Interruption.between();
                if (signal != 0) {
                    return 128 + signal;
                }
            }
            if (repeat > 1) {
                out.println("\nRun " + i + " of " + repeat + "\n");
            }
            int status = super.run(out, err);
            RunResult result = result();
            if (result == null || result.signal() != 0) {
                return status;
            }
            results.add(result);
            Optional<String> unknown = unknown(result, faultsNotDue());
            unknown.ifPresent(err::println);
            known &= unknown.isEmpty();
        }
        if (repeat > 1) {
            ScorecardText.ofRuns(results).ifPresent(text -> out.print("\n" + text));
        }
        return known ? status(results) : FAILED;
    }

    /** Returns the sentence that says why it is not known how the clients of a run get over a fault; empty if its scorecard says how. */
    static Optional<String> unknown(RunResult result, List<Integer> notDue) {
        if (notDue.isEmpty()) {
            return result.scorecard() != null ? Optional.empty()
                : Optional.of("The run has no scorecard, so it is not known how the clients get over the fault.");
        }
        boolean one = notDue.size() == 1;
        return Optional.of("The load was over before fault" + (one ? " " : "s ")
            + notDue.stream().map(String::valueOf).collect(Collectors.joining(", ")) + (one ? " was due" : " were due")
            + ", so it is not known how the clients get over " + (one ? "it." : "them."));
    }

    /**
     * Returns the exit status of runs that no signal ended: 1 if one of them failed, did not recover or has no scorecard, otherwise 99 if
     * one missed a threshold, otherwise 3 if one measured the generator, otherwise 0.
     */
    static int status(List<RunResult> results) {
        if (results.stream().anyMatch(result -> !result.success() || result.scorecard() == null || !result.scorecard().recovered())) {
            return FAILED;
        }
        if (!results.stream().allMatch(RunResult::meetsThresholds)) {
            return RunResult.THRESHOLD_MISSED;
        }
        return results.stream().anyMatch(RunResult::isInvalid) ? RunResult.INVALID : 0;
    }
}
