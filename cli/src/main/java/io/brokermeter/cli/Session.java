package io.brokermeter.cli;

import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.cli.RunCommand.Endpoints;
import io.brokermeter.cli.options.ConsumerConnectionOptions;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.Run;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.ConsoleOptions;
import io.brokermeter.reports.ConsoleReport;
import io.brokermeter.reports.RunShape;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Secret;
import org.jspecify.annotations.Nullable;

/**
 * One run of a command, from its options to its exit status. Everything that can be wrong with the options is found
 * before a file is created, and that before a broker is started, and that before anything connects.
 */
final class Session {

    private static final String LOCAL_BROKER = "tcp://localhost:61616";
    private static final int LOCAL_PORT = 61616;
    private static final int PROBE_MILLIS = 300;
    private static final String THROWAWAY = "artemis";

    private final RunCommand command;
    private final PrintStream out;
    private final PrintStream err;
    private volatile @Nullable Broker broker;
    private volatile @Nullable Run run;

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
        Drivers drivers = Drivers.load();
        EndpointChoice choice = new EndpointChoice(drivers, command);
        boolean complete = choice.isComplete(command);
        BrokerName throwaway = brokerName();
        if (!complete) {
            choice.requireStartable(Broker.protocols(throwaway));
        }
        Scenario asked = command.scenario(choice.endpoints(LOCAL_BROKER, null, null));
        Plan.of(asked, drivers.all());
        Secret password = Passwords.resolve(command.connection.password, command.connection.passwordFile, "--password");
        ConsumerConnectionOptions other = command.consumerConnection();
        Secret consumerPassword = other == null ? null
                : Passwords.resolve(other.password, other.passwordFile, "--consumer-password");
        RunShape shape = RunShape.of(asked);
        ReportFiles files = ReportFiles.open(command.output, shape);
        warn();
        boolean begun = false;
        try (Interruption interruption = Interruption.install(() -> endEarly(files))) {
            String url = complete ? LOCAL_BROKER : url(throwaway);
            Endpoints endpoints = choice.endpoints(url, password, consumerPassword);
            Plan plan = Plan.of(command.scenario(endpoints), drivers.all());
            announce(plan);
            RunResult result;
            try (RunObserver observer = new Observers(files.observer(), console(shape))) {
                Run prepared = new Run(plan, observer);
                run = prepared;
                interruption.runs(prepared);
                result = prepared.execute();
                begun = true;
            } catch (RunFailure | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                err.println("error: a report could not be closed: " + e.getMessage());
                return 1;
            }
            return result.exitCode();
        } finally {
            if (!begun) {
                files.discard();
            }
            endBroker();
        }
    }

    private BrokerName brokerName() {
        BrokerName name;
        try {
            name = BrokerName.parse(command.connection.broker == null ? THROWAWAY : command.connection.broker);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--broker: " + e.getMessage());
        }
        if (!Broker.names().contains(name.name())) {
            throw new UsageException("--broker: '" + name + "' is not a broker that can be started here; there are "
                    + String.join(", ", Broker.names()) + ".");
        }
        return name;
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

    /** The URL of whatever broker is at hand: one that listens where Artemis does, else one that is started now. */
    private String url(BrokerName throwaway) throws BrokerException {
        if (command.connection.broker == null && isListening()) {
            return LOCAL_BROKER;
        }
        Broker started;
        try {
            started = Broker.start(throwaway);
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
        broker = started;
        out.println("Started " + started.title() + " " + started.name().version().orElse("") + " for this run (pid " + started.pid()
                + ", " + started.url() + ", gone at the end)");
        return started.url();
    }

    private static boolean isListening() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), LOCAL_PORT), PROBE_MILLIS);
            return true;
        } catch (java.io.IOException e) {
            return false;
        }
    }

    private void announce(Plan plan) {
        Driver sending = plan.producerDriver();
        Driver receiving = plan.consumerDriver();
        Scenario scenario = plan.scenario();
        String first = null;
        if (sending != null && scenario.producers() != null) {
            first = sending.effectiveUrl(scenario.producers().endpoint().settings());
            out.println("Connection brokerURL = " + first);
        }
        if (receiving != null && scenario.consumers() != null) {
            String second = receiving.effectiveUrl(scenario.consumers().endpoint().settings());
            if (first == null) {
                out.println("Connection brokerURL = " + second);
            } else if (!first.equals(second)) {
                out.println("Consumer connection brokerURL = " + second);
            }
        }
        out.flush();
    }

    private ConsoleReport console(RunShape shape) {
        boolean terminal = System.console() != null && System.console().isTerminal();
        return new ConsoleReport(out, err, new ConsoleOptions(command.output.showLatency, command.output.silent,
                command.output.verbose, terminal, columns()), shape);
    }

    private static int columns() {
        String columns = System.getenv("COLUMNS");
        try {
            return columns == null ? 80 : Math.clamp(Integer.parseInt(columns.strip()), 20, 500);
        } catch (NumberFormatException e) {
            return 80;
        }
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
