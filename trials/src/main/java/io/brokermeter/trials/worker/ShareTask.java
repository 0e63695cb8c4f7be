package io.brokermeter.trials.worker;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

import io.brokermeter.cluster.clock.ClockLine;
import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.plan.SocketLimits;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.Run;
import io.brokermeter.engine.run.parts.RunShare;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.portable.PortableFiles;
import io.brokermeter.experiment.portable.StoreFiles;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.network.Namespace;
import io.brokermeter.reports.PrivateFiles;
import io.brokermeter.reports.Reports;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.json.RecordJson;
import io.brokermeter.spi.parameter.StoreParameter;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.RunSetup;
import io.brokermeter.trials.TemporaryDirectory;
import io.brokermeter.trials.network.BypassCheck;

/** A share of a run, for an agent: faults, networks and the broker are the coordinator's. */
final class ShareTask extends WorkerTask {

    private final Share share;
    private final LineCoordination peers;

    ShareTask(WorkerOrder order, Consumer<WorkerLine> out, Consumer<Run> begun) {
        super(order, out, begun);
        TemporaryDirectory.share(order.path());
        this.share = Objects.requireNonNull(order.share());
        this.peers = new LineCoordination(share.number(), order.faulted(), out);
        follow(Objects.requireNonNull(order.clock()));
    }

    private void follow(String text) {
        ClockLine line = ClockLine.parse(text);
        EpochClock.follow(line.at(), line.coordinator() - line.at(), line.rate(), order.zero());
    }

    @Override
    boolean isShare() {
        return true;
    }

    @Override
    boolean hear(String line) {
        if (line.startsWith(WorkerOrder.CLOCK)) {
            follow(line.substring(WorkerOrder.CLOCK.length()));
            return true;
        }
        return peers.hear(line);
    }

    @Override
    int execute() throws Exception {
        // Before any thread is started, since each thread is in the network of the thread that starts it.
        try (Namespace.Stay _ = order.entry().place().isEmpty() ? () -> {} : Namespace.enter(order.entry().place())) {
            return work();
        }
    }

    private int work() throws Exception {
        Drivers drivers = Drivers.load();
        RunSetup setup = setup(way -> {
            List<StoreParameter> stores = drivers.stores(way.protocol());
            return new EndpointSpec(way.protocol(), StoreFiles.url(way.url(), stores, this::enclosed), way.user(), way.password(),
                StoreFiles.properties(way.properties(), stores, this::enclosed));
        }, drivers);
        Plan plan = setup.plan();
        SocketLimits.check(plan, share);
        RunDirectory files = files(setup, List.of());
        RunResult result;
        try (Reports observer = new Reports(List.of(files, new WorkerProgress(out))); BypassCheck watch = new BypassCheck(order.entry())) {
            Run run = new Run(plan, new RunShare(share, order.number(), peers), observer, watch, null, Option::inFile);
            begun.accept(run);
            result = run.execute();
            Files.writeString(PrivateFiles.file(order.path().resolve(WorkerOrder.PART)), RecordJson.text(run.part()));
            try (OutputStream sets =
                new BufferedOutputStream(Files.newOutputStream(PrivateFiles.file(order.path().resolve(WorkerOrder.LEDGER))))) {
                run.writeLedger(sets);
            }
        }
        return result.exitCode(true);
    }

    /** Returns the path of a file that a parameter names, which must have come with the run. */
    private String enclosed(String parameter, String path) {
        if (path.isEmpty()) {
            return path;
        }
        if (!PortableFiles.isEnclosed(path)) {
            throw new UsageException("Parameter " + parameter + " names a file that did not come with the run.");
        }
        return order.path().resolve(path).toString();
    }

    /** Returns a sentence in which files have the names with which they came, in place of their paths here. */
    @Override
    String told(String sentence) {
        return sentence.replace(order.path() + File.separator, "");
    }

    /** Deletes the run's directory, which the agent cannot delete any more. */
    @Override
    void clear() {
        DataDirectory.delete(order.path());
    }
}
