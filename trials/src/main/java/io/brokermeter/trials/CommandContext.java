package io.brokermeter.trials;

import java.io.PrintStream;

import io.brokermeter.trials.worker.WorkerLauncher;

/**
 * The context that a command passes to everything it runs.
 *
 * @param launcher starts processes of this machine
 * @param out stream for results
 * @param err stream for warnings and progress
 * @param silent whether the progress of trials is not shown
 */
public record CommandContext(WorkerLauncher launcher, PrintStream out, PrintStream err, boolean silent) {

    /** Creates a context that shows the progress of trials. */
    public CommandContext(WorkerLauncher launcher, PrintStream out, PrintStream err) {
        this(launcher, out, err, false);
    }
}
