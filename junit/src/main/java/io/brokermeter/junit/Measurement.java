package io.brokermeter.junit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.brokermeter.cli.Main;
import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.stored.StoredSweep;
import io.brokermeter.trials.network.Interruption;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/**
 * Measures the broker of a test by scenario files and judges it by limits. Each run is a process of its own on this machine, with the class
 * path of the test, so that it measures the broker and not the test. Used by the thread of the test, whose interruption, as by a timeout of
 * JUnit, ends the run.
 */
public final class Measurement {

    private static final int WRONG = 2;
    private static final int INVALID = 3;
    private static final int LIMIT_MISSED = 99;

    private final Path directory;
    private final String test;
    private final List<String> settings = new ArrayList<>();
    private final AtomicInteger runs;

    /**
     * @param test name of the files of one test
     * @param runs number of its runs so far, also of those by its other measurements
     */
    Measurement(Path directory, String test, AtomicInteger runs) {
        this.directory = directory;
        this.test = test;
        this.runs = runs;
    }

    /**
     * Names the broker that all further runs measure, in place of the one in the scenario.
     *
     * @param url its URL, like {@code tcp://127.0.0.1:61616} or {@code kafka://127.0.0.1:9092}
     * @return this
     */
    public Measurement of(String url) {
        return with("url=" + url);
    }

    /**
     * Changes a setting of all further runs.
     *
     * @param setting a key of a scenario file with its value, like {@code load.rate=1k/s}
     * @return this
     */
    public Measurement with(String setting) {
        settings.add(setting);
        return this;
    }

    /**
     * Runs a scenario file, and returns when it is over.
     *
     * @param scenario the file
     * @param limits limits beside those in the file, like {@code response.p99 < 50ms} or {@code lost == 0}
     * @return the directory with the files of the run; {@code brokermeter report} makes a page of them
     * @throws AssertionFailedError when a limit was missed, or the run failed
     * @throws TestAbortedException when this machine was too busy to tell, so that neither outcome would say anything of the broker
     * @throws IllegalArgumentException when the scenario, a setting or a limit is wrong
     * @throws IllegalStateException when another process still writes the files of a run of the same name
     */
    public Path keeps(Path scenario, String... limits) {
        Path out = directory.resolve(test + "-" + runs.incrementAndGet());
        List<String> command = new ArrayList<>(List.of("run", scenario.toString(), "--out", fresh(out).toString()));
        for (String setting : settings) {
            command.addAll(List.of("--set", setting));
        }
        for (String limit : limits) {
            command.addAll(List.of("--threshold", limit));
        }
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        int status;
        try (PrintStream stream = new PrintStream(said, true, StandardCharsets.UTF_8)) {
            Main main = new Main(stream, stream, Map.of());
            status = Interruption.asGuest(() -> main.run(command.toArray(String[]::new)));
        }
        String words = said.toString(StandardCharsets.UTF_8);
        switch (status) {
            case 0 -> {}
            case WRONG -> throw new IllegalArgumentException(words.strip());
            case INVALID -> throw new TestAbortedException("Not judged: this machine was too busy to measure the broker.\n" + words);
            case LIMIT_MISSED -> throw new AssertionFailedError("A limit was missed.\n" + words);
            default -> throw new AssertionFailedError("The run failed.\n" + words);
        }
        return out;
    }

    /** Deletes what this run of the test left in an earlier build, and returns the directory. */
    private Path fresh(Path out) {
        if (RunDirectory.isRunning(out) || StoredSweep.isRunning(out)) {
            throw new IllegalStateException(
                out + " is being written by another run of this test; give one of them a directory of its own by "
                    + "the configuration parameter " + BrokermeterExtension.DIRECTORY + ".");
        }
        try {
            Files.createDirectories(directory);
            DataDirectory.delete(out);
        } catch (IOException e) {
            throw new UncheckedIOException(out + " cannot be written", e);
        }
        return out.toAbsolutePath();
    }
}
