package io.brokermeter.cli.results;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

import io.brokermeter.cli.Action;
import io.brokermeter.cli.options.NumberLimits;
import io.brokermeter.cli.options.OptionValues;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.stored.Headline;
import io.brokermeter.reports.stored.KeptRuns;
import io.brokermeter.reports.stored.RunLabels;
import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.stored.StoredSweep;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code runs}: lists the runs and sweeps whose files were kept, and removes old ones. */
@Command(name = "runs",
    description = "List the runs and sweeps whose files were kept, the newest first; 'runs prune' removes those that are too old or too many.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  brokermeter runs --count 100",
        "  brokermeter runs --label build=117 --label git.branch=main",
        "  brokermeter runs prune --older-than 30d --max-size 2GiB",
        "  brokermeter runs prune --keep 50 --yes"})
public final class RunsCommand implements Action {

    private static final String PRUNE = "prune";

    @Parameters(paramLabel = PRUNE, arity = "0..1",
        description = "Remove runs instead of listing them: say which with --older-than, --keep or "
            + "--max-size. A run that goes on is never removed.")
    @Nullable String what;

    @Option(names = "--count", order = 1, paramLabel = "N", defaultValue = "20",
        description = "How many runs are listed at most. Default: ${DEFAULT-VALUE}.")
    int count;

    @Option(names = "--label", order = 2, paramLabel = "NAME=VALUE",
        description = "Only those with this label; git.commit=1a2b3c (at least four digits), git.branch=NAME and git.changes=true|false find those "
            + "that were started in such a checkout. May be given more than once, and all must hold. Default: all.")
    List<String> labels = new ArrayList<>();

    @Option(names = "--older-than", order = 3, paramLabel = "TIME",
        description = "prune: remove what is older, as 12h, 30d or 8w. The age is that of the directory's name, so copying a run does not make "
            + "it younger. Default: age does not matter.")
    @Nullable String olderThan;

    @Option(names = "--keep", order = 4, paramLabel = "N",
        description = "prune: keep the newest N and remove the others. Default: the number does not matter.")
    @Nullable Integer keep;

    @Option(names = "--max-size", order = 5, paramLabel = "BYTES",
        description = "prune: remove the oldest until all together have at most this size, as 500MB or 2GiB. Default: the size does not matter.")
    @Nullable String maxSize;

    @Option(names = "--yes", order = 6, description = "prune: do it; without it, only what would go is listed. Default: off.")
    boolean yes;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    CommandSpec spec;

    @Override
    public int run(PrintStream out, PrintStream err) throws IOException {
        OptionValues values = new OptionValues(spec);
        Map<String, String> wanted = values.named("--label");
        KeptRuns runs = KeptRuns.of(System.getenv());
        if (what != null && !what.equals(PRUNE)) {
            throw new UsageException("'" + what + "' is nothing that runs can do; there is 'brokermeter runs', which lists them, and "
                + "'brokermeter runs prune'.");
        }
        if (what != null) {
            if (values.isTyped("--count")) {
                throw new UsageException("--count is for the list of runs; to keep the newest N, give --keep N.");
            }
            return new PruneRuns(runs, wanted, PruneRuns.limits(olderThan, keep, maxSize), yes).run(out, err);
        }
        for (String option : List.of("--older-than", "--keep", "--max-size", "--yes")) {
            if (values.isTyped(option)) {
                throw new UsageException(option + " is for 'brokermeter runs prune', which removes runs.");
            }
        }
        NumberLimits.atLeast("--count", count, 1);
        list(runs, wanted, out);
        return 0;
    }

    private void list(KeptRuns runs, Map<String, String> wanted, PrintStream out) throws IOException {
        List<Path> all = runs.all();
        out.println(runs.store().root());
        int measured = 0;
        int listed = 0;
        int more = 0;
        for (Path directory : all) {
            // The name by which other commands find the run; a run that goes on or measured nothing has none.
            String name = "";
            if (listed < count && KeptRuns.hasMeasured(directory)) {
                name = measured == 0 ? "last" : "last~" + measured;
                measured++;
            }
            if (listed == count && wanted.isEmpty()) {
                more = all.size() - listed;
                break;
            }
            Map<String, String> labels = RunLabels.of(directory);
            if (!RunLabels.match(labels, wanted)) {
                continue;
            }
            if (listed == count) {
                more++;
                continue;
            }
            listed++;
            out.printf(Locale.ROOT, "  %-8s %s  %s%s%n", name, directory.getFileName(), headline(directory), own(labels));
        }
        if (listed == 0) {
            out.println(all.isEmpty() ? "  There are none yet." : "  None of " + all.size() + " has "
                + wanted.entrySet().stream().map(one -> one.getKey() + "=" + one.getValue()).collect(Collectors.joining(" and ")) + ".");
        } else if (more > 0) {
            out.println("  and " + more + " older ones");
        }
    }

    /** Returns the labels that the user set, as shown at the end of a line. */
    private static String own(Map<String, String> labels) {
        Map<String, String> own = new LinkedHashMap<>(labels);
        own.keySet().removeIf(name -> name.startsWith("git."));
        return own.isEmpty() ? "" : own.entrySet().stream().map(one -> one.getKey() + "=" + one.getValue())
            .collect(Collectors.joining(", ", "  [", "]"));
    }

    static String headline(Path directory) {
        try {
            return StoredSweep.isSweep(directory) ? Headline.of(StoredSweep.read(directory)) : Headline.of(StoredRun.read(directory));
        } catch (UsageException e) {
            return StoredSweep.isSweep(directory) ? "a sweep whose state cannot be read" : "did not come to its end";
        }
    }
}
