package io.brokermeter.trials.worker;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

import io.brokermeter.cluster.clock.ClockLine;
import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.Run;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.run.parts.RunShare;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.portable.PortableFiles;
import io.brokermeter.experiment.portable.StoreFiles;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.network.Namespace;
import io.brokermeter.reports.PrivateFiles;
import io.brokermeter.reports.Reports;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.json.RecordJson;
import io.brokermeter.spi.parameter.StoreParameter;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.RunSetup;
import io.brokermeter.trials.agents.Conductor;
import io.brokermeter.trials.agents.LineCoordination;
import io.brokermeter.trials.agents.RunPlace;
import io.brokermeter.trials.agents.SentEndpoint;
import io.brokermeter.trials.agents.ShareOrder;
import io.brokermeter.trials.agents.WorkerShare;
import io.brokermeter.trials.network.BypassCheck;

/** The work of an agent's worker: its share of a run, together with the workers that have the other shares. */
final class ShareWork {

    private final Path directory;
    private final WorkerShare share;
    private final Consumer<Map<String, ?>> out;
    private final Consumer<Run> begun;
    private final LineCoordination coordination;

    /**
     * Creates a share that has not begun.
     *
     * @param out receives each line as a map with one key
     * @param begun receives the run before it begins
     */
    ShareWork(ShareOrder order, Consumer<Map<String, ?>> out, Consumer<Run> begun) {
        this.directory = order.path();
        RunPlace.share(directory);
        this.share = order.share();
        this.out = out;
        this.begun = begun;
        this.coordination = new LineCoordination(share.share().number(), share.faulted(), out);
        follow(order.clock());
    }

    private void follow(String text) {
        ClockLine line = ClockLine.parse(text);
        EpochClock.follow(line.at(), line.coordinator() - line.at(), line.rate(), share.zero());
    }

    Path directory() {
        return directory;
    }

    /** Handles a line of the agent. Returns false when it is about something else. */
    boolean hear(String line) {
        if (line.startsWith(ShareOrder.CLOCK)) {
            follow(line.substring(ShareOrder.CLOCK.length()));
            return true;
        }
        return coordination.hear(line);
    }

    /** Executes the share and returns the exit status. */
    int run() throws Exception {
        // Before any thread is started, since each thread is in the network of the thread that starts it.
        try (Namespace.Stay _ = share.passage().place().isEmpty() ? () -> {} : Namespace.enter(share.passage().place())) {
            return work();
        }
    }

    private int work() throws Exception {
        Workload workload = Worker.workload(directory);
        Drivers drivers = Drivers.load();
        Function<Workload.Group, Endpoint> ways = group -> {
            SentEndpoint way = Worker.way(share.ways(), group);
            List<StoreParameter> stores = drivers.stores(way.protocol());
            return Worker
                .endpoint(new SentEndpoint(way.protocol(), StoreFiles.url(way.url(), stores, this::enclosed), way.user(), way.password(),
                    StoreFiles.properties(way.properties(), stores, this::enclosed)), group);
        };
        Plan plan = new RunSetup(workload, share.id(), share.suffix(), drivers, ways).plan();
        RunDirectory files = Worker.files(directory, share.scenario(), workload, plan.scenario(), List.of());
        RunResult result;
        try (Reports observer = new Reports(List.of(files, new Progress())); BypassCheck watch = new BypassCheck(share.passage())) {
            Run run = new Run(plan, new RunShare(share.share(), share.number(), coordination), observer, watch, null, Option::inFile);
            begun.accept(run);
            result = run.execute();
            Files.writeString(PrivateFiles.file(directory.resolve(Conductor.PART)), RecordJson.text(run.part()));
            try (OutputStream sets =
                new BufferedOutputStream(Files.newOutputStream(PrivateFiles.file(directory.resolve(Conductor.LEDGER))))) {
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
        return directory.resolve(path).toString();
    }

    /** Returns a sentence in which files have the names with which they came, in place of their paths here. */
    String told(String sentence) {
        return sentence.replace(directory + File.separator, "");
    }

    /** Reports all intervals and events to the coordinator. */
    private final class Progress implements RunObserver {

        @Override
        public void interval(Interval i) {
            out.accept(Map.of("part", RecordJson.tree(i)));
        }

        @Override
        public void event(Event event) {
            out.accept(Map.of("happened", RecordJson.tree(event)));
        }
    }
}
