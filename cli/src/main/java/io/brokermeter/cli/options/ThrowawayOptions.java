package io.brokermeter.cli.options;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.trials.Throwaway;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a broker runs that is started by this program. */
public final class ThrowawayOptions {

    private static final Pattern HEAP = Pattern.compile("[1-9][0-9]*[kKmMgG]?");

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

    /**
     * The broker that they describe, once everything is checked that needs nothing fetched or started.
     *
     * @param text its name, or null for the default broker
     * @throws UsageException for what the user must change
     */
    public Throwaway throwaway(@Nullable String text) {
        BrokerName name;
        try {
            name = BrokerName.parse(text == null ? Broker.names().getFirst() : text);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--broker: " + e.getMessage());
        }
        if (!Broker.names().contains(name.name())) {
            throw new UsageException("--broker: '" + name + "' is not a broker that can be started here; there are "
                    + String.join(", ", Broker.names()) + ".");
        }
        BrokerOptions options = options();
        try {
            Broker.check(name, options);
        } catch (IllegalArgumentException e) {
            throw new UsageException(e);
        }
        return new Throwaway(name, options, options.keep() || options.directory().filter(Files::exists).isPresent());
    }

    private BrokerOptions options() {
        BrokerOptions options = BrokerOptions.defaults().withPersistent(!noPersistence).withKeep(keep);
        if (topology != null) {
            options = options.withTopology(topology);
        }
        if (journal != null) {
            options = options.withJournal(journal);
        }
        if (heap != null) {
            if (!HEAP.matcher(heap).matches()) {
                throw new UsageException("--broker-heap '" + heap + "' must look like 512m or 2g.");
            }
            try {
                BrokerOptions.requireHeap(heap);
            } catch (IllegalArgumentException e) {
                throw new UsageException("--broker-heap " + heap + " " + e.getMessage());
            }
            options = options.withHeap(heap);
        }
        for (var property : NamedValues.parse(properties, "--broker-property").entrySet()) {
            options = options.withProperty(property.getKey(), property.getValue());
        }
        if (directory == null) {
            return options.withDirectory(BrokerOptions.newDirectory());
        }
        if (Files.exists(directory) && !Files.isDirectory(directory)) {
            throw new UsageException("--broker-directory " + directory + " is not a directory.");
        }
        return options.withDirectory(directory.toAbsolutePath().normalize());
    }
}
