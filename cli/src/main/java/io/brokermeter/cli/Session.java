package io.brokermeter.cli;

import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerNode;
import io.brokermeter.brokers.observe.Observation;
import io.brokermeter.cli.RunCommand.Endpoints;
import io.brokermeter.cli.options.ConsumerConnectionOptions;
import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.BrokerWatch;
import io.brokermeter.engine.run.Run;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.ConsoleOptions;
import io.brokermeter.reports.ConsoleReport;
import io.brokermeter.reports.RunShape;
import io.brokermeter.spi.Secret;
import org.jspecify.annotations.Nullable;

/**
 * One run of a command, from its options to its exit status. Everything that can be wrong with the options is found
 * before a file is created, and that before a broker is started, and that before anything connects.
 */
final class Session {

    private static final int PROBE_MILLIS = 300;

    private final RunCommand command;
    private final PrintStream out;
    private final PrintStream err;
    private volatile @Nullable Broker broker;
    private volatile @Nullable Run run;
    private Set<String> protocols = Set.of();

    Session(RunCommand command, PrintStream out, PrintStream err) {
        this.command = command;
        this.out = out;
        this.err = err;
    }

    /**
     * Runs and returns the exit status.
     *
     * @throws UsageException for what the user must change; nothing was left behind
     * @throws RunFailure when the run could not begin
     * @throws BrokerException when no broker could be started for it
     */
    int run() throws RunFailure, BrokerException {
        command.check();
        Observation observation = command.observation.observation();
        Drivers drivers = Drivers.load();
        Throwaway throwaway = Throwaway.of(command.connection.broker, command.throwaway);
        EndpointChoice choice = new EndpointChoice(drivers, command,
                drivers.firstOf(throwaway.protocols(), throwaway.name().toString()));
        boolean complete = choice.isComplete(command);
        if (!complete) {
            choice.requireServed(throwaway);
        }
        ConsumerConnectionOptions other = command.consumerConnection();
        Scenario asked = command.scenario(choice.endpoints(drivers::localUrl,
                Passwords.announced(command.connection.password, command.connection.passwordFile),
                other == null ? null : Passwords.announced(other.password, other.passwordFile)));
        Plan.of(asked, drivers.all());
        Secret password = Passwords.resolve(command.connection.password, command.connection.passwordFile, "--password");
        Secret consumerPassword = other == null ? null
                : Passwords.resolve(other.password, other.passwordFile, "--consumer-password");
        RunShape shape = RunShape.of(asked);
        boolean starts = !complete && (command.connection.broker != null || !isListening());
        if (!starts) {
            observation.requireMetrics();
        }
        RunFiles places = RunFiles.of(command.output.out, err);
        RunRecord record = new RunRecord(command.name(), asked, drivers, starts ? throwaway : null,
                new Passwords.Places(command.connection.passwordFile, other == null ? null : other.passwordFile,
                        other != null && (other.password != null || other.passwordFile != null)));
        ReportFiles files = ReportFiles.open(command.output, shape);
        try {
            files.add(places.open(command.name(), record.text(null), shape, observation.metricNames()));
        } catch (RuntimeException e) {
            files.discard();
            throw e;
        }
        warn();
        boolean begun = false;
        try (Interruption interruption = Interruption.install(() -> endEarly(files))) {
            UnaryOperator<String> urls = starts ? started(throwaway, choice.protocol()) : drivers::localUrl;
            Broker own = broker;
            if (own != null) {
                files.scenario(record.text(own.name()));
            }
            Endpoints endpoints = choice.endpoints(urls, password, consumerPassword);
            Plan plan = Plan.of(command.scenario(endpoints), drivers.all());
            announce(plan);
            protocols = Stream.concat(plan.producers().stream().map(group -> group.driver().protocol()),
                    plan.consumers().stream().map(group -> group.driver().protocol())).collect(Collectors.toSet());
            RunResult result;
            try (BrokerWatch watch = watched(observation, plan).open();
                    RunObserver observer = new Observers(files.observer(), console(shape))) {
                Run prepared = new Run(plan, observer, watch);
                run = prepared;
                interruption.runs(Interruptible.of(prepared));
                result = prepared.execute();
                begun = true;
            } catch (RunFailure | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                err.println("error: a report could not be closed: " + e.getMessage());
                return 1;
            }
            files.tell(out);
            return result.exitCode();
        } finally {
            if (!begun) {
                files.discard();
            }
            endBroker();
        }
    }

    /** The protocols that the run spoke; empty before it began. */
    Set<String> protocols() {
        return protocols;
    }

    private void warn() {
        for (String option : List.of("--password", "--consumer-password")) {
            String text = option.equals("--password") ? command.connection.password
                    : command.consumerConnection() == null ? null : command.consumerConnection().password;
            if (text != null && !text.isEmpty() && command.isTyped(option)) {
                err.println("warning: everyone on this machine can read a password on the command line; use " + option
                        + "-file or " + EnvironmentVariables.variable(option) + " instead.");
                break;
            }
        }
        command.warnings().forEach(warning -> err.println("warning: " + warning));
        if (command.load() != null && command.load().maxPending == 0) {
            err.println("warning: --max-pending 0 sets no limit, so memory may fill with sends that are not confirmed.");
        }
    }

    /** Starts a broker for this run, and answers where it serves each protocol. */
    private UnaryOperator<String> started(Throwaway throwaway, String protocol) throws BrokerException {
        Broker started;
        try (ProgressLine progress = new ProgressLine(err, ProgressLine.isTerminal())) {
            progress.drawOnly("Starting " + throwaway.name());
            started = throwaway.start(progress);
        }
        broker = started;
        String pids = started.nodes().size() == 1 ? "pid " + started.pid() : started.nodes().stream()
                .map(node -> node.role() + " pid " + node.pid()).collect(Collectors.joining(", "));
        out.println("Started " + started.title() + " " + started.name().version().orElse("") + " for this run (" + pids + ", "
                + started.urls().getOrDefault(protocol, started.url()) + ", " + throwaway.fate() + ")");
        return wanted -> {
            String url = started.urls().get(wanted);
            if (url == null) {
                throw new UsageException(started.title() + " " + started.name().version().orElse("") + " as it runs here serves "
                        + String.join(", ", started.urls().keySet()) + ", but not " + wanted + ".");
            }
            return url;
        };
    }

    /** Whether something listens where clients look when they are not told otherwise. */
    static boolean isListening() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), Drivers.LOCAL_PORT), PROBE_MILLIS);
            return true;
        } catch (java.io.IOException e) {
            return false;
        }
    }

    private void announce(Plan plan) {
        Set<String> told = new LinkedHashSet<>();
        plan.producers().forEach(group -> told.add(group.driver().effectiveUrl(group.side().endpoint().settings())));
        told.forEach(url -> out.println("Connection brokerURL = " + url));
        for (ConsumerGroup group : plan.consumers()) {
            String url = group.driver().effectiveUrl(group.side().endpoint().settings());
            if (told.add(url)) {
                out.println((plan.producers().isEmpty() ? "Connection" : "Consumer connection") + " brokerURL = " + url);
            }
        }
        out.flush();
    }

    /** The broker that was started for this run, or else whatever listens where the run connects. */
    private Observation watched(Observation observation, Plan plan) {
        Broker started = broker;
        if (started != null) {
            return observation.with(started.nodes().stream().map(BrokerNode::pid).toList());
        }
        Set<String> urls = new LinkedHashSet<>();
        plan.producers().forEach(group -> urls.add(group.driver().effectiveUrl(group.side().endpoint().settings())));
        plan.consumers().forEach(group -> urls.add(group.driver().effectiveUrl(group.side().endpoint().settings())));
        return observation.at(List.copyOf(urls));
    }

    private ConsoleReport console(RunShape shape) {
        return new ConsoleReport(out, err, new ConsoleOptions(command.output.showLatency, command.output.silent,
                command.output.verbose, ProgressLine.isTerminal(), Terminal.columns(), command.observation.show), shape);
    }

    /** What a signal before the run, or a second one in it, must still do. */
    private void endEarly(ReportFiles files) {
        Run begun = run;
        if (begun == null || !begun.hasBegun()) {
            files.discard();
        }
        endBroker();
    }

    private void endBroker() {
        Broker running = broker;
        if (running != null) {
            running.close();
        }
    }
}
