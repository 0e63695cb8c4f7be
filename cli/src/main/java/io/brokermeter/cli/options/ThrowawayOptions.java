package io.brokermeter.cli.options;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a broker runs that is started by this program. */
public final class ThrowawayOptions {

    @Option(names = "--broker-topology", order = 1, paramLabel = "NAME",
            description = "Arrangement of its processes, such as primary-backup of artemis. Default: single.")
    public @Nullable String topology;

    @Option(names = "--broker-heap", order = 2, paramLabel = "SIZE",
            description = "Greatest heap of each of its JVMs, as 512m or 2g. Default: 1g.")
    public @Nullable String heap;

    @Option(names = "--broker-journal", order = 3, paramLabel = "TYPE",
            description = "Type of its journal in its own words, such as asyncio of artemis. Default: the broker's own.")
    public @Nullable String journal;

    @Option(names = "--broker-no-persistence", order = 4,
            description = "It stores nothing, so that messages live in its memory alone.")
    public boolean noPersistence;

    @Option(names = "--broker-property", order = 5, paramLabel = "NAME=VALUE",
            description = "One of its own settings, under its own name; may be given more than once. Default: none.")
    public List<String> properties = new ArrayList<>();

    @Option(names = "--broker-directory", order = 6, paramLabel = "DIR",
            description = "Where its files go. One that exists is used with what is in it, and kept. Default: a new one, "
                + "deleted at the end.")
    public @Nullable Path directory;

    @Option(names = "--keep-broker", order = 7, description = "Leave its directory, with data and logs, at the end.")
    public boolean keep;
}
