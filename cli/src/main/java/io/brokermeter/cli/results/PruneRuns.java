package io.brokermeter.cli.results;

import java.io.IOException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.cli.options.NumberLimits;
import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.stored.KeptRuns;
import io.brokermeter.reports.stored.Pruning;
import io.brokermeter.reports.stored.RunLabels;
import org.jspecify.annotations.Nullable;

/**
 * The command {@code runs prune}: lists the runs that exceed limits, and removes them when the user agreed to that.
 *
 * @param runs all runs and sweeps whose files were kept
 * @param labels the labels that a run must have to be considered
 * @param limits the age, number and size of the runs that stay
 * @param yes whether to remove the runs, not only to list them
 */
record PruneRuns(KeptRuns runs, Map<String, String> labels, Pruning.Limits limits, boolean yes) {

    private static final Pattern DAYS = Pattern.compile("([0-9]{1,6})\\s*([dw])");
    private static final Pattern SIZE = Pattern.compile("([0-9]{1,12}(?:\\.[0-9]{1,6})?)\\s*([kmgt]?)(i?b)?", Pattern.CASE_INSENSITIVE);

    /**
     * Returns the limits that the options set.
     *
     * @throws UsageException when no option sets a limit, or a limit is wrong
     */
    static Pruning.Limits limits(@Nullable String olderThan, @Nullable Integer keep, @Nullable String maxSize) {
        if (olderThan == null && keep == null && maxSize == null) {
            throw new UsageException("Say what is to go: --older-than 30d, --keep 50 or --max-size 2GiB.");
        }
        if (keep != null) {
            NumberLimits.atLeast("--keep", keep, 0);
        }
        return new Pruning.Limits(olderThan == null ? null : age(olderThan), keep == null ? -1 : keep,
            maxSize == null ? -1 : bytes(maxSize));
    }

    private static Duration age(String text) {
        Matcher days = DAYS.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (days.matches()) {
            return Duration.ofDays(Long.parseLong(days.group(1)) * (days.group(2).equals("w") ? 7 : 1));
        }
        try {
            return Units.duration(text, "-");
        } catch (UsageException e) {
            throw new UsageException("--older-than '" + text + "' is not a time with a unit, like 12h, 30d or 8w.");
        }
    }

    private static long bytes(String text) {
        Matcher size = SIZE.matcher(text.strip());
        if (!size.matches()) {
            throw new UsageException("--max-size '" + text + "' is not a size, like 500MB or 2GiB.");
        }
        // As in other options: k and KiB are 1024, kB is 1000.
        String unit = size.group(3);
        long base = unit != null && unit.equalsIgnoreCase("b") ? 1000 : 1024;
        int power = "kmgt".indexOf(size.group(2).toLowerCase(Locale.ROOT)) + 1;
        return new BigDecimal(size.group(1)).multiply(BigDecimal.valueOf(base).pow(size.group(2).isEmpty() ? 0 : power)).longValue();
    }

    /** Lists or removes the runs, and returns the exit status: 1 when a run could not be removed. */
    int run(PrintStream out, PrintStream err) throws IOException {
        List<Path> candidates = runs.all().stream().filter(one -> labels.isEmpty() || RunLabels.match(RunLabels.of(one), labels)).toList();
        Pruning pruning = Pruning.of(candidates, limits, Instant.now());
        out.println(runs.store().root());
        pruning.spared()
            .forEach(one -> err.println("note: " + one.getFileName() + " goes on, or was written to in the last minute, and stays."));
        if (pruning.going().isEmpty()) {
            out.println("  Nothing is to go: " + pruning.all() + " runs and sweeps, " + size(pruning.bytes()) + ".");
            return 0;
        }
        long bytes = 0;
        int gone = 0;
        boolean failed = false;
        for (Pruning.Going one : pruning.going()) {
            String line = String.format(Locale.ROOT, "  %s  %9s  %s (%s)", one.directory().getFileName(), size(one.bytes()),
                RunsCommand.headline(one.directory()), one.why());
            try {
                if (!yes || Pruning.remove(one.directory())) {
                    out.println(line);
                    bytes += one.bytes();
                    gone++;
                } else {
                    err.println("note: " + one.directory().getFileName() + " goes on by now and stays.");
                }
            } catch (IOException e) {
                err.println("error: " + one.directory() + " could not be removed: " + e.getMessage() + ".");
                failed = true;
            }
        }
        String what = gone + " of " + pruning.all() + " runs and sweeps, " + size(bytes) + " of " + size(pruning.bytes());
        out.println(yes ? "Removed " + what + "." : "Would remove " + what + "; nothing was removed. --yes removes them.");
        return failed ? 1 : 0;
    }

    private static String size(long bytes) {
        double value = bytes;
        String unit = "B";
        for (String next : List.of("KiB", "MiB", "GiB", "TiB")) {
            if (value < 1024) {
                break;
            }
            value /= 1024;
            unit = next;
        }
        return String.format(Locale.ROOT, unit.equals("B") ? "%.0f %s" : "%.1f %s", value, unit);
    }
}
