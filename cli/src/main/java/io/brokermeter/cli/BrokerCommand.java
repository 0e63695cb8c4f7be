package io.brokermeter.cli;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerNode;
import io.brokermeter.cli.options.NumberLimits;
import io.brokermeter.cli.options.OptionValues;
import io.brokermeter.cli.options.Throwaways;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.ProgressLine;
import io.brokermeter.trials.Throwaway;
import io.brokermeter.trials.network.Interruption;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code broker}: runs a throwaway broker in the foreground. */
@Command(name = "broker",
    description = "Start a broker, print its URLs, and run it until Ctrl-C.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  brokermeter broker artemis --port 61616",
        "  brokermeter broker activemq:6.3.1 --broker-heap 2g",
        "  brokermeter broker artemis --broker-topology primary-backup --broker-property globalMaxSize=200M",
        "",
        "Brokers: see 'brokermeter drivers' for the protocols, docs/brokers.md for versions, topologies and journals."})
final class BrokerCommand implements Action {

    private static final Duration WATCH_INTERVAL = Duration.ofMillis(200);
    private static final int FAILED = 1;

    @Parameters(paramLabel = "NAME[:VERSION]", arity = "0..1",
        description = "Which broker: ${COMPLETION-CANDIDATES}. Default: the first of them.", completionCandidates = Names.class)
    @Nullable String name;

    @Option(names = "--port", order = 1, paramLabel = "PORT", defaultValue = "0",
        description = "Port of its first process; 0 is any free one. Default: ${DEFAULT-VALUE}.")
    int port;

    @Option(names = "--verbose", order = 2, description = "The stack trace behind an error. Default: off.")
    boolean verbose;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    CommandSpec spec;

    private final AtomicBoolean ending = new AtomicBoolean();
    private volatile @Nullable Broker broker;

    /** The names of all brokers, for the help. */
    static final class Names extends ArrayList<String> {

        private static final long serialVersionUID = 1L;

        Names() {
            super(Broker.names());
        }
    }

    @Override
    public boolean verbose() {
        return verbose;
    }

    /**
     * Runs until a signal ends the process, or the broker ends by itself.
     *
     * @throws UsageException for what the user must change; nothing was left behind
     * @throws BrokerException when the broker does not start
     */
    @Override
    public int run(PrintStream out, PrintStream err) throws BrokerException {
        NumberLimits.port("--port", port);
        Throwaway asked = Throwaways.of(new OptionValues(spec), name);
        Throwaway placed = new Throwaway(asked.name(), asked.options().withPort(port), asked.isKept());
        try (Interruption _ = Interruption.install(this::end)) {
            Broker started;
            try (ProgressLine progress = ProgressLine.on(err)) {
                progress.drawOnly("Starting " + placed.name());
                started = placed.start(progress);
            }
            broker = started;
            describe(started, placed, out);
            int status = watch(started, err);
            end();
            return status;
        }
    }

    /** Ends the broker. A signal calls this method, too, on a thread of its own, before it ends the process. */
    private void end() {
        ending.set(true);
        Broker running = broker;
        if (running != null) {
            running.close();
        }
    }

    private static void describe(Broker broker, Throwaway asked, PrintStream out) {
        Drivers drivers = Drivers.load();
        int widest = Math.max(9, java.util.stream.Stream.concat(broker.urls().keySet().stream(),
            broker.nodes().stream().map(BrokerNode::role)).mapToInt(String::length).max().orElse(0));
        String form = "  %-" + widest + "s  %s%n";
        out.println(broker.title() + " " + broker.name().version().orElse(""));
        for (BrokerNode node : broker.nodes()) {
            out.printf(form, node.role(), "pid " + node.pid() + ", port " + node.port());
        }
        out.printf(form, "directory", asked.directory() + (asked.isKept() ? ", kept at the end" : ", deleted at the end"));
        for (Map.Entry<String, String> url : broker.urls().entrySet()) {
            // The protocols of a second broker of a topology end in #2.
            String protocol = url.getKey().replaceFirst("#.*", "");
            out.printf(form, url.getKey(), url.getValue() + (isPlain(drivers, protocol, url.getValue()) ? ""
                : "  (with --protocol " + protocol + ")"));
        }
        String protocol = broker.urls().keySet().iterator().next();
        out.println("Use it: brokermeter client " + (isPlain(drivers, protocol, broker.url()) ? "" : "--protocol " + protocol + " ")
            + "--url '" + broker.url() + "' --duration 10");
        out.println("It runs until Ctrl-C.");
        out.flush();
    }

    /** Returns whether the URL alone determines this protocol. */
    private static boolean isPlain(Drivers drivers, String protocol, String url) {
        try {
            return drivers.ofUrl(url, "").equals(protocol);
        } catch (UsageException e) {
            return false;
        }
    }

    /**
     * Waits until all processes of the broker have ended, and reports each that ended by itself, not those that a signal ended.
     *
     * @return the exit status
     */
    private int watch(Broker running, PrintStream err) {
        List<BrokerNode> left = new ArrayList<>(running.nodes());
        try {
            while (!left.isEmpty()) {
                BrokerNode first = left.getFirst();
                first.awaitExit(WATCH_INTERVAL);
                List<BrokerNode> gone = left.stream().filter(node -> !node.isAlive()).toList();
                if (ending.get()) {
                    // The signal that ends the broker ends this process, too.
                    Thread.sleep(Duration.ofDays(1));
                }
                gone.forEach(node -> err.println(sentence(running, node)));
                left.removeAll(gone);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return FAILED;
    }

    private static String sentence(Broker broker, BrokerNode node) {
        List<String> lines = node.lastLogLines();
        return "The process " + node.pid() + " (" + node.role() + ") of " + broker.name() + " ended by itself"
            + (lines.isEmpty() ? " and left no log." : "; its last log lines:" + lines.stream()
                .map(line -> System.lineSeparator() + "  " + line).collect(Collectors.joining()));
    }
}
