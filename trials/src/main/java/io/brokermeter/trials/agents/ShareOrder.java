package io.brokermeter.trials.agents;

import java.nio.file.Path;

import io.brokermeter.reports.json.JsonText;
import io.brokermeter.reports.json.RecordJson;

/**
 * The order to a worker of an agent: one line on its standard input, which no process list and no file shows.
 *
 * @param directory directory of the run's files, which belongs to the agent; its {@code scenario.yaml} says what to run
 * @param clock the coordinator's clock, {@link io.brokermeter.cluster.clock.ClockLine#text}
 */
public record ShareOrder(String directory, WorkerShare share, String clock) {

    /** Begins a later line that sets the clock; {@link io.brokermeter.cluster.clock.ClockLine#text} follows. */
    public static final String CLOCK = "clock ";

    /** A later line that ends the share at once. */
    public static final String ABORT = "abort";

    /** A later line that ends the share at once, as {@link #ABORT} does, and removes nothing that other shares use: these go on. */
    public static final String LEAVE = "leave";

    private static final String KEY = "directory";

    /** Returns whether a line is such an order. */
    public static boolean is(String line) {
        return line.startsWith("{\"" + KEY + "\":") && JsonText.read(line).get("share") != null;
    }

    /** @throws IllegalArgumentException when the line is no such order */
    public static ShareOrder read(String line) {
        return RecordJson.read(ShareOrder.class, line);
    }

    String line() {
        return RecordJson.text(this);
    }

    /** Returns the directory of the run's files. */
    public Path path() {
        return Path.of(directory);
    }
}
