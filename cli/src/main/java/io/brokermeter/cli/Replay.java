package io.brokermeter.cli;

import java.io.PrintStream;
import java.util.List;
import java.util.function.UnaryOperator;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerNode;
import io.brokermeter.brokers.observe.Observation;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.BrokerWatch;
import io.brokermeter.engine.run.Run;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.BrokerChoice;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.Trial;
import io.brokermeter.reports.ConsoleOptions;
import io.brokermeter.reports.ConsoleReport;
import io.brokermeter.reports.Reports;
import io.brokermeter.reports.RunDirectory;
import io.brokermeter.reports.RunShape;
import io.brokermeter.spi.Secret;
import org.jspecify.annotations.Nullable;

/** One run of what a scenario file says, in this process, as the commands with options run it. */
final class Replay {

    private final Drivers drivers;
    private final Experiment experiment;
    private final @Nullable Secret password;
    private final Observation observation;
    private final RunFiles places;
    private final ConsoleOptions options;
    private final PrintStream out;
    private final PrintStream err;
    private final TrialBrokers brokers = new TrialBrokers();
    private volatile @Nullable Run run;

    Replay(Drivers drivers, Experiment experiment, @Nullable Secret password, Observation observation, RunFiles places,
            ConsoleOptions options, PrintStream out, PrintStream err) {
        this.drivers = drivers;
        this.experiment = experiment;
        this.password = password;
        this.observation = observation;
        this.places = places;
        this.options = options;
        this.out = out;
        this.err = err;
    }

    /**
     * Runs and returns the exit status.
     *
     * @throws UsageException for what the user must change; nothing was left behind
     */
    int run() throws RunFailure, BrokerException {
        SweepPlan.Step step = SweepPlan.of(List.of(experiment), drivers, RunFilesCommand.fallback(), password).steps().getFirst();
        Trial trial = step.trial();
        BrokerChoice choice = step.broker();
        RunShape shape = RunShape.of(trial.workload().scenario());
        RunDirectory files = places.open(experiment.name(), trial.yaml(experiment.name()), shape, observation.metricNames());
        boolean begun = false;
        try (Interruption interruption = Interruption.install(() -> endEarly(files))) {
            Broker broker = choice == null ? null : start(choice);
            UnaryOperator<String> urls = broker == null ? drivers::localUrl : protocol -> {
                String url = broker.urls().get(protocol);
                if (url == null) {
                    throw new UsageException(broker.title() + " as it runs here does not serve " + protocol + ".");
                }
                return url;
            };
            Scenario scenario = trial.workload().connected(new TrialEndpoints(drivers, choice, password).endpoints(urls));
            Plan plan = Plan.of(scenario, drivers.all());
            List<String> reached = Worker.urls(plan);
            reached.forEach(url -> out.println("Connection brokerURL = " + url));
            Observation watched = broker == null ? observation.at(reached)
                    : observation.with(broker.nodes().stream().map(BrokerNode::pid).toList());
            RunResult result;
            try (BrokerWatch watch = watched.open(); RunObserver observer = new Observers(
                    new Reports(files == null ? List.of() : List.of(files)), new ConsoleReport(out, err, options, shape))) {
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
            if (files != null) {
                out.println("--- files: " + files.directory());
            }
            return result.exitCode();
        } finally {
            if (!begun && files != null) {
                files.discard();
            }
            brokers.close();
        }
    }

    private Broker start(BrokerChoice choice) throws BrokerException {
        Broker started;
        try (ProgressLine progress = new ProgressLine(err, ProgressLine.isTerminal())) {
            progress.drawOnly("Starting " + choice.name());
            started = brokers.running(choice, progress);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrokerException("The start of broker " + choice.name() + " was interrupted.", e);
        }
        out.println("Started " + started.title() + " " + started.name().version().orElse("") + " for this run (pid " + started.pid()
                + ", " + started.url() + ", gone at the end)");
        return started;
    }

    private void endEarly(@Nullable RunDirectory files) {
        Run current = run;
        if (files != null && (current == null || !current.hasBegun())) {
            files.discard();
        }
        brokers.close();
    }
}
