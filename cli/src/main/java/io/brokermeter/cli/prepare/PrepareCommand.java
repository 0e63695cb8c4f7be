package io.brokermeter.cli.prepare;

import java.io.PrintStream;

import io.brokermeter.cli.Action;
import picocli.CommandLine.Command;

/** The command {@code prepare}: trains the JVM's cache now, for instance while an image is made. */
@Command(name = "prepare",
    description = "Train the JVM's cache now, which makes later starts faster.",
    footerHeading = "%nNotes:%n",
    footer = {
        "  It does nothing when the cache is there and no program is newer than it.",
        "  It takes half a minute and happens by itself, in the background, after the first",
        "  measurement; BROKERMETER_PREPARE=off prevents that.",
        "  In an image it belongs behind the installation, so that no container has to do it again."})
public final class PrepareCommand implements Action {

    @Override
    public int run(PrintStream out, PrintStream err) {
        CacheTraining training = CacheTraining.of().orElse(null);
        if (training == null) {
            err.println("Only the launcher can prepare later starts: run brokermeter prepare by its script.");
            return 1;
        }
        if (training.isCurrent()) {
            out.println("Later starts are prepared already.");
            return 0;
        }
        if (training.train(err)) {
            out.println("Later starts are prepared.");
            return 0;
        }
        err.println("There is no new cache: the training was ended, another one runs, it failed (training.log says why), or its "
            + "directory cannot be written: " + System.getProperty("brokermeter.aot"));
        return 1;
    }
}
