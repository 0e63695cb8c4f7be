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
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.FinalReport;
import io.brokermeter.reports.HdrReport;
import io.brokermeter.reports.JsonReport;
import io.brokermeter.reports.Reports;
import io.brokermeter.reports.RunDirectory;
import io.brokermeter.reports.RunShape;
import org.jspecify.annotations.Nullable;

/** The report files of a run, all opened before it begins. A run that never begins leaves none that was not there. */
final class ReportFiles {

    private final List<RunObserver> open = new ArrayList<>();
    private final List<Path> created = new ArrayList<>();
    private @Nullable RunDirectory directory;

    private ReportFiles() {}

    /**
     * Opens them.
     *
     * @param name of the run
     * @throws UsageException when one cannot be written; nothing is left behind then
     */
    static ReportFiles open(ReportPaths paths, String name, RunShape shape) {
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
            return files;
        } catch (RuntimeException e) {
            files.discard();
            throw e;
        }
    }

    private void open(@Nullable Path path, Function<Path, RunObserver> opener) {
        if (path != null) {
            open.add(opener.apply(remember(path)));
        }
    }

    /** Takes the files of the run along, if it leaves any. */
    void add(@Nullable RunDirectory runDirectory) {
        if (runDirectory != null) {
            directory = runDirectory;
            open.add(runDirectory);
        }
    }

    /** See {@link RunDirectory#scenario}. */
    void scenario(String text) {
        if (directory != null) {
            directory.scenario(text);
        }
    }

    /** See {@link RunDirectory#isMadeByOthers}. */
    void areMadeByOthers() {
        if (directory != null) {
            directory.isMadeByOthers();
        }
    }

    /** See {@link RunDirectory#crossesClocks}. */
    void crossesClocks() {
        if (directory != null) {
            directory.crossesClocks();
        }
    }

    /** Keeps the commit of the current directory. */
    void checkout(Map<String, @Nullable Object> commit) {
        if (directory != null) {
            directory.environment(Checkout.KEY, commit);
        }
    }

    /** Says where the files of the run are. */
    void tell(PrintStream out) {
        if (directory != null) {
            out.println("--- files: " + directory.directory());
        }
    }

    /** Where the files of the run are, empty for nowhere. */
    String place() {
        return directory == null ? "" : directory.directory().toString();
    }

    /** The directory of the files of the run, null for none. */
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
                // an empty file that is about to go
            }
        }
        if (directory != null) {
            directory.discard();
        }
        for (Path path : created) {
            try {
                Files.deleteIfExists(path);
            } catch (IOException e) {
                // left empty, as the user's directory wants it
            }
        }
    }
}
