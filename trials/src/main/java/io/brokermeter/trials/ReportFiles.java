package io.brokermeter.trials;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.live.LivePage;
import io.brokermeter.live.MessagingAttributes;
import io.brokermeter.live.MetricsEndpoint;
import io.brokermeter.live.OtlpPush;
import io.brokermeter.live.RunControls;
import io.brokermeter.live.RunMetrics;
import io.brokermeter.reports.FinalReport;
import io.brokermeter.reports.Reports;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.directory.HdrReport;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.document.EnvironmentDocument;
import io.brokermeter.reports.json.JsonReport;
import org.jspecify.annotations.Nullable;

/**
 * The report files of a run, all of which are opened before it begins. A run that never begins leaves no file that did not exist before.
 */
final class ReportFiles {

    private final List<RunObserver> open = new ArrayList<>();
    private final List<Path> created = new ArrayList<>();
    private @Nullable RunDirectory directory;

    private ReportFiles() {}

    /**
     * Opens the files.
     *
     * @param name name of the run
     * @param err takes warnings about reports while the run lasts
     * @throws UsageException when a file cannot be written; no file is left behind then
     */
    static ReportFiles open(ReportPaths paths, String name, RunShape shape, Scenario scenario, PrintStream err) {
        ReportFiles files = new ReportFiles();
        try {
            if (paths.takesStandardOutput()) {
                files.open.add(JsonReport.on(paths.out(), shape));
            } else {
                files.open(paths.json(), path -> JsonReport.open(path, shape));
            }
            files.open(paths.hdr(), HdrReport::open);
            files.open(paths.junit(), path -> FinalReport.junit(path, name, shape));
            files.open(paths.summary(), path -> FinalReport.summary(path, "brokermeter " + name, shape));
            files.openMetrics(paths, name, shape, scenario, err);
            return files;
        } catch (RuntimeException e) {
            files.discard();
            throw e;
        }
    }

    private void openMetrics(ReportPaths paths, String name, RunShape shape, Scenario scenario, PrintStream err) {
        String scraped = paths.metrics();
        String pushed = paths.otlp();
        if (scraped == null && pushed == null) {
            return;
        }
        RunMetrics metrics = new RunMetrics(Map.of("name", name));
        open.add(metrics);
        if (scraped != null) {
            open.add(MetricsEndpoint.open(scraped, metrics));
        }
        if (pushed != null) {
            open.add(
                OtlpPush.open(pushed, System.getenv(), metrics, Map.of("service.instance.id", shape.id(), "brokermeter.run.name", name),
                    MessagingAttributes.of(scenario), sentence -> err.println("warning: " + sentence), !paths.live()));
        }
    }

    private void open(@Nullable Path path, Function<Path, RunObserver> opener) {
        if (path != null) {
            open.add(opener.apply(remember(path)));
        }
    }

    /** Adds the files of the run itself, if there are any. */
    void add(@Nullable RunDirectory runDirectory) {
        if (runDirectory != null) {
            directory = runDirectory;
            open.add(runDirectory);
        }
    }

    /**
     * Serves the page of the run, which is made of the files of the run itself, and returns its URL.
     *
     * @throws UsageException when there are no such files, or when nothing can be served there
     */
    String serve(String place, RunShape shape, RunControls controls) {
        RunDirectory from = directory;
        if (from == null) {
            throw new UsageException("--serve shows a run by its files, and there are none, as with --out none.");
        }
        LivePage page = LivePage.open(place, from.directory(), shape, controls);
        open.add(page);
        return page.url();
    }

    /** Calls {@link RunDirectory#scenario} if the run has a directory. */
    void scenario(String text) {
        if (directory != null) {
            directory.scenario(text);
        }
    }

    /** Calls {@link RunDirectory#isMadeByOthers} if the run has a directory. */
    void areMadeByOthers() {
        if (directory != null) {
            directory.isMadeByOthers();
        }
    }

    /** Calls {@link RunDirectory#crossesClocks} if the run has a directory. */
    void crossesClocks() {
        if (directory != null) {
            directory.crossesClocks();
        }
    }

    /** Records the commit of the current directory. */
    void checkout(EnvironmentDocument.Git commit) {
        if (directory != null) {
            directory.environment(its -> its.with(commit));
        }
    }

    /** Prints where the files of the run are. */
    void tell(PrintStream out) {
        if (directory != null) {
            out.println("--- files: " + directory.directory());
        }
    }

    /** Returns the directory of the files of the run, empty if there is none. */
    String place() {
        return directory == null ? "" : directory.directory().toString();
    }

    /** Returns the directory of the files of the run, null if there is none. */
    @Nullable Path directory() {
        return directory == null ? null : directory.directory();
    }

    private Path remember(Path path) {
        if (Files.notExists(path)) {
            created.add(path);
        }
        return path;
    }

    RunObserver observer() {
        return new Reports(open);
    }

    /** Closes the files and deletes those that this object created: the run did not begin. */
    void discard() {
        for (RunObserver observer : open) {
            try {
                observer.close();
            } catch (Exception e) {
                // an empty file that is about to be deleted
            }
        }
        if (directory != null) {
            directory.discard();
        }
        for (Path path : created) {
            try {
                Files.deleteIfExists(path);
            } catch (IOException e) {
                // left empty, since the user's directory does not permit to delete it
            }
        }
    }
}
