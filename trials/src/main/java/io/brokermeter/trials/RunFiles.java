package io.brokermeter.trials;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Workload;
import io.brokermeter.reports.PrivateFiles;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.directory.RunEnvironment;
import io.brokermeter.reports.directory.RunStore;
import org.jspecify.annotations.Nullable;

/** Determines where the files of a run or of a sweep are written: as {@code --out} says, or in the user's store. */
public final class RunFiles {

    /** The value of {@code --out} for no files. */
    private static final String NONE = "none";

    private final @Nullable Path named;
    private final boolean none;
    private final PrintStream err;

    private RunFiles(@Nullable Path named, boolean none, PrintStream err) {
        this.named = named;
        this.none = none;
        this.err = err;
    }

    /**
     * Parses and checks the value of {@code --out}.
     *
     * @throws UsageException for a path that cannot be that of a new directory
     */
    public static RunFiles of(@Nullable String out, PrintStream err) {
        if (out == null || out.equals(NONE)) {
            return new RunFiles(null, out != null, err);
        }
        Path path;
        try {
            path = Path.of(out).toAbsolutePath().normalize();
        } catch (InvalidPathException e) {
            throw new UsageException("--out '" + out + "' is not a path.");
        }
        if (Files.exists(path)) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
                if (entries.iterator().hasNext()) {
                    throw new UsageException("--out " + out + " is not empty; name a new directory.");
                }
            } catch (IOException e) {
                throw new UsageException("--out " + out + " is not a directory that can be read.");
            }
        }
        return new RunFiles(path, false, err);
    }

    /** Returns whether no files are to be kept. */
    public boolean areNone() {
        return none;
    }

    /**
     * Opens the files of one run. Returns null when none are to be kept, or when the user's store cannot be written, for which a warning is
     * enough.
     *
     * @param name name of the run
     * @param scenario the run as a scenario file
     * @param workload the workload of the run
     * @param shape the shape of the run
     * @param metrics names of further metrics of the broker
     * @throws UsageException when the directory that the user named cannot be written
     */
    @Nullable RunDirectory open(String name, String scenario, Workload workload, RunShape shape, List<String> metrics) {
        if (none) {
            return null;
        }
        RunEnvironment environment = RunEnvironment.now(ToolVersion.text()).of(workload.scenario(), workload.labels());
        Path directory = named;
        if (directory != null) {
            return withInputs(RunDirectory.open(directory, scenario, shape, environment, metrics, null), workload);
        }
        RunStore store = RunStore.of(System.getenv());
        try {
            return withInputs(RunDirectory.open(store.create(name), scenario, shape, environment, metrics, this::warn), workload);
        } catch (IOException e) {
            warn("The files of this run cannot be kept in " + store.root() + ": " + IoCause.of(e) + "; --out names another place.");
            return null;
        } catch (UsageException e) {
            warn(e.getMessage() + " --out names another place.");
            return null;
        }
    }

    private static RunDirectory withInputs(RunDirectory files, Workload workload) {
        try {
            files.inputs(workload.scenario(), null);
            return files;
        } catch (UsageException e) {
            files.discard();
            throw e;
        }
    }

    /** Returns the commands to type next about a run whose files are in a directory. */
    List<String> next(String directory) {
        return List.of("brokermeter report " + (named == null ? "last" : Shell.quoted(directory)) + " --html out.html");
    }

    /**
     * The place of the files of a sweep.
     *
     * @param unkept the same directory if it is deleted at the end of the sweep; null if it is kept
     */
    public record SweepDirectory(Path directory, @Nullable TemporaryDirectory unkept) {

        /** Creates a place whose files are kept. */
        public static SweepDirectory kept(Path directory) {
            return new SweepDirectory(directory, null);
        }

        public boolean isKept() {
            return unkept == null;
        }

        /** Deletes the files if they are not kept, since the sweep is over. */
        public void end() {
            if (unkept != null) {
                unkept.delete();
            }
        }
    }

    /**
     * Creates the directory of a sweep; a temporary one when the files are not to be kept.
     *
     * @throws UsageException when the directory that the user named cannot be written
     */
    public SweepDirectory sweep(String name) throws IOException {
        Path directory = named;
        if (directory != null) {
            try {
                return SweepDirectory.kept(PrivateFiles.directories(directory));
            } catch (IOException e) {
                throw new UsageException("--out " + directory + " cannot be written: " + IoCause.of(e) + ".");
            }
        }
        if (!none) {
            RunStore store = RunStore.of(System.getenv());
            try {
                return SweepDirectory.kept(store.create(name));
            } catch (IOException e) {
                warn("The files of this sweep cannot be kept in " + store.root() + ": " + IoCause.of(e) + "; --out names another place.");
            }
        }
        TemporaryDirectory unkept = TemporaryDirectory.ofSweep();
        return new SweepDirectory(unkept.path(), unkept);
    }

    private void warn(String sentence) {
        err.println("warning: " + sentence);
    }
}
