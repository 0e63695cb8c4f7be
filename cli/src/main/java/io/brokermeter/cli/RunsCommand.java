package io.brokermeter.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.JsonText;
import io.brokermeter.reports.RunStore;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.table.TableColumn;
import io.brokermeter.trials.SweepFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the runs and sweeps whose files were kept. */
@Command(name = "runs",
    description = "List the runs and sweeps whose files were kept, the newest first.",
    footerHeading = "%nExamples:%n",
    footer = {"  brokermeter runs", "  brokermeter runs --count 100"})
final class RunsCommand implements Action {

    @Option(names = "--count", order = 1, paramLabel = "N", defaultValue = "20",
        description = "How many at most. Default: ${DEFAULT-VALUE}.")
    int count;

    @Override
    public int run(PrintStream out, PrintStream err) throws IOException {
        if (count < 1) {
            throw new UsageException("--count " + count + " must be at least 1.");
        }
        RunStore store = RunStore.of(System.getenv());
        List<Path> all = store.all();
        out.println(store.root());
        int finished = 0;
        for (Path directory : all.subList(0, Math.min(count, all.size()))) {
            // What replay takes by that name; a run that did not come to its end has none.
            String name = "";
            if (ReplayCommand.isFinished(directory)) {
                name = finished == 0 ? "last" : "last~" + finished;
                finished++;
            }
            out.printf(Locale.ROOT, "  %-8s %s  %s%n", name, directory.getFileName(), state(directory));
        }
        if (all.isEmpty()) {
            out.println("  There are none yet.");
        } else if (all.size() > count) {
            out.println("  and " + (all.size() - count) + " older ones");
        }
        return 0;
    }

    private static String state(Path directory) {
        if (SweepFiles.isSweep(directory)) {
            try {
                List<?> states = JsonText.maps(JsonText.read(Files.readString(directory.resolve(SweepFiles.SWEEP))).get("trials")).stream()
                    .map(trial -> trial.get("state")).toList();
                return Collections.frequency(states, "passed") + " of " + states.size() + " trials passed, "
                    + Collections.frequency(states, "failed") + " failed";
            } catch (IOException | IllegalArgumentException | ClassCastException e) {
                // as one that is damaged
            }
            return "a sweep whose state cannot be read";
        }
        return StoredResult.in(directory).map(result -> {
            double rate = result.sends() ? TableColumn.SENT.of(result) : TableColumn.RECEIVED.of(result);
            return (result.success() ? "passed" : "failed") + (Double.isFinite(rate)
                ? String.format(Locale.ROOT, ", %,.0f msg/s", rate) : "");
        }).orElse("did not come to its end");
    }
}
