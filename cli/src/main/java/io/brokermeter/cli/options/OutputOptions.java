package io.brokermeter.cli.options;

import java.nio.file.Path;
import java.time.Duration;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What is said and written. */
public final class OutputOptions {

    @Option(names = "--show-latency", order = 1,
            description = "Latency lines in the live output; the summary always has them. Default: off.")
    public boolean showLatency;

    @Option(names = "--json", order = 2, paramLabel = "FILE",
            description = "Report in JSON: an array, or one object a line in a file named *.jsonl. Default: none.")
    public @Nullable Path json;

    @Option(names = "--hdr", order = 3, paramLabel = "FILE",
            description = "Report as an HdrHistogram interval log. Default: none.")
    public @Nullable Path hdr;

    @Option(names = "--out", order = 4, paramLabel = "DIR|none",
            description = "Where the files of the run go, a new directory: scenario, environment, intervals, times, events, "
                + "result; none leaves none. Default: a new one in ~/.local/state/brokermeter/runs.")
    public @Nullable String out;

    @Option(names = {"-i", "--interval"}, order = 5, paramLabel = "TIME", defaultValue = "1s",
            converter = Converters.Seconds.class,
            description = "Length of a reporting interval, in seconds or with a unit. Default: ${DEFAULT-VALUE}.")
    public Duration interval = Duration.ZERO;

    @Option(names = "--id", order = 6, paramLabel = "TEXT",
            description = "Name of the run in the JSON report. Default: made from the time.")
    public @Nullable String id;

    @Option(names = "--silent", order = 7, description = "No live output; the summary is printed all the same. Default: off.")
    public boolean silent;

    @Option(names = "--verbose", order = 8,
            description = "What the clients log, and the stack trace behind an error. Default: off.")
    public boolean verbose;
}
