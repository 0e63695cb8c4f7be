package io.brokermeter.trials.worker;

import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.brokermeter.engine.run.Run;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.experiment.Workload;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.directory.RunEnvironment;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.spi.parameter.Setting;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.RunSetup;
import io.brokermeter.trials.ToolVersion;

/** What a worker was ordered to do: a run of its own, or a share of one. */
abstract class WorkerTask {

    final WorkerOrder order;
    /** Receives each line. */
    final Consumer<WorkerLine> out;
    /** Receives the run before it begins. */
    final Consumer<Run> begun;

    WorkerTask(WorkerOrder order, Consumer<WorkerLine> out, Consumer<Run> begun) {
        this.order = order;
        this.out = out;
        this.begun = begun;
    }

    /** Returns the task of an order. */
    static WorkerTask of(WorkerOrder order, Consumer<WorkerLine> out, Consumer<Run> begun) {
        return order.share() == null ? new TrialTask(order, out, begun) : new ShareTask(order, out, begun);
    }

    /** Returns whether other processes have the other shares of the run. */
    abstract boolean isShare();

    /** Handles a line of the parent. Returns false when it is about something else. */
    abstract boolean hear(String line);

    /** Executes the run and returns the exit status. */
    abstract int execute() throws Exception;

    /** Returns a sentence about a failure, as the parent tells it. */
    abstract String told(String sentence);

    /** Deletes what nobody else deletes any more. */
    abstract void clear();

    /**
     * Returns the run that was ordered.
     *
     * @param received converts the endpoints that were ordered to those of this process
     */
    final RunSetup setup(UnaryOperator<EndpointSpec> received, Drivers drivers) {
        Workload workload = ScenarioFile.read(order.path().resolve(RunDirectory.SCENARIO), Changes.NONE).trials().getFirst().workload();
        return new RunSetup(workload, order.id(), order.suffix(), drivers, group -> {
            EndpointSpec way = order.endpoints().get(group.key());
            if (way == null) {
                throw new UsageException("The worker got no way to the broker of the " + group.words() + ".");
            }
            return endpoint(received.apply(way), group);
        });
    }

    /** Returns the complete endpoint of a group: the scenario file says less than was sent, since it keeps no passwords. */
    static Endpoint endpoint(EndpointSpec way, Workload.Group group) {
        return group.access().having(way.properties()).as(way.user())
            .endpoint(way.protocol(), way.url(), way.password() == null ? null : Secret.of(Objects.requireNonNull(way.password())));
    }

    /**
     * Opens the files of the run in its directory.
     *
     * @param metrics names of further metrics of the broker
     */
    final RunDirectory files(RunSetup setup, List<String> metrics) {
        Scenario scenario = setup.plan().scenario();
        return RunDirectory.open(order.path(), order.scenario(), RunShape.of(scenario).with(Setting::key, true),
            RunEnvironment.now(ToolVersion.text()).of(scenario, setup.workload().labels()), metrics, null);
    }
}
