package io.brokermeter.trials.worker;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.brokermeter.brokers.observe.Observation;
import io.brokermeter.engine.run.Run;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.reports.Reports;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.directory.RunInputs;
import io.brokermeter.trials.Checkout;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.RunSetup;
import io.brokermeter.trials.faults.RemoteFaults;

/** A trial of a sweep: all of a run. Its parent makes the faults that are not of connections, since it has the broker. */
final class TrialTask extends WorkerTask {

    private final RemoteFaults faults;

    TrialTask(WorkerOrder order, Consumer<WorkerLine> out, Consumer<Run> begun) {
        super(order, out, begun);
        this.faults = new RemoteFaults(fault -> out.accept(new WorkerLine.Asked(fault)), order.pids());
    }

    @Override
    boolean isShare() {
        return false;
    }

    @Override
    boolean hear(String line) {
        return faults.hear(line);
    }

    @Override
    int execute() throws Exception {
        Checkout checkout = Checkout.begin();
        try (RunSetup setup = setup(UnaryOperator.identity(), Drivers.load())) {
            Observation observation = setup.observed(order.watching().observation(), order.pids().isEmpty() ? null : faults::pids);
            RunDirectory files = files(setup, observation.metricNames());
            // One copy for all trials of the sweep.
            files.inputs(setup.plan().scenario(), order.path().resolve("../../" + RunInputs.KEY).toAbsolutePath().normalize());
            checkout.await().ifPresent(commit -> files.environment(its -> its.with(commit)));
            setup.connect();
            return RunSetup.here(begun, null)
                .execute(setup, observation, faults, new Reports(List.of(files, new WorkerProgress(out))), Option::inFile)
                .exitCode(true);
        }
    }

    @Override
    String told(String sentence) {
        return sentence;
    }

    /** Does nothing: its files are the sweep's. */
    @Override
    void clear() {
        // the sweep goes on later
    }
}
