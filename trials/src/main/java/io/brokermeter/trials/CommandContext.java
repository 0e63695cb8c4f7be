package io.brokermeter.trials;

import java.io.PrintStream;

import io.brokermeter.trials.worker.WorkerLauncher;

/**
 * The context that a command passes to everything it runs.
 *
 * @param place where processes of this machine are started
 * @param out stream for results
 * @param err stream for warnings and progress
 * @param silent whether the progress of trials is not shown
 */
public record CommandContext(WorkerLauncher place, PrintStream out, PrintStream err, boolean silent) {

    /** Creates a context that shows the progress of trials. */
    public CommandContext(WorkerLauncher place, PrintStream out, PrintStream err) {
        this(place, out, err, false);
    }
}
