package io.brokermeter.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.cli.options.ThrowawayOptions;
import io.brokermeter.engine.scenario.UsageException;
import org.jspecify.annotations.Nullable;

/**
 * A broker to start, as the command line describes it.
 *
 * @param name    which one
 * @param options how it runs; they name its directory
 * @param isKept  whether that directory stays at the end
 */
record Throwaway(BrokerName name, BrokerOptions options, boolean isKept) {

    private static final Pattern HEAP = Pattern.compile("[1-9][0-9]*[kKmMgG]?");

    /**
     * Checks everything that needs nothing fetched or started.
     *
     * @param text the name, or null for the default broker
     * @throws UsageException for what the user must change
     */
    static Throwaway of(@Nullable String text, ThrowawayOptions given) {
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
        BrokerOptions options = options(given);
        try {
            Broker.check(name, options);
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
        return new Throwaway(name, options, options.keep() || options.directory().filter(Files::exists).isPresent());
    }

    private static BrokerOptions options(ThrowawayOptions given) {
        BrokerOptions options = BrokerOptions.defaults().withPersistent(!given.noPersistence).withKeep(given.keep);
        if (given.topology != null) {
            options = options.withTopology(given.topology);
        }
        if (given.journal != null) {
            options = options.withJournal(given.journal);
        }
        if (given.heap != null) {
            if (!HEAP.matcher(given.heap).matches()) {
                throw new UsageException("--broker-heap '" + given.heap + "' must look like 512m or 2g.");
            }
            try {
                BrokerOptions.requireHeap(given.heap);
            } catch (IllegalArgumentException e) {
                throw new UsageException("--broker-heap " + given.heap + " " + e.getMessage());
            }
            options = options.withHeap(given.heap);
        }
        for (var property : NamedValues.parse(given.properties, "--broker-property").entrySet()) {
            options = options.withProperty(property.getKey(), property.getValue());
        }
        if (given.directory != null) {
            if (Files.exists(given.directory) && !Files.isDirectory(given.directory)) {
                throw new UsageException("--broker-directory " + given.directory + " is not a directory.");
            }
            return options.withDirectory(given.directory.toAbsolutePath().normalize());
        }
        return options.withDirectory(BrokerOptions.newDirectory());
    }

    /** The protocols that it serves, its default first. */
    Set<String> protocols() {
        return Broker.protocols(name);
    }

    /** What becomes of it at the end: {@code gone at the end}, or where its files stay. */
    String fate() {
        return isKept ? "kept in " + directory() : "gone at the end";
    }

    /** Where its files go. */
    Path directory() {
        return options.directory().orElseThrow();
    }

    /**
     * Starts it and returns when it serves.
     *
     * @param progress hears what takes long
     * @throws UsageException for a version, property or the like that the broker has not
     * @throws BrokerException when it does not start
     */
    Broker start(Consumer<String> progress) throws BrokerException {
        Consumer<String> seen = progress instanceof ProgressLine line ? line::drawOnly : progress;
        try (StartProgress starting = new StartProgress(name, options, progress, seen, StartProgress.store())) {
            Broker started = Broker.start(name, options.withProgress(starting));
            starting.ready();
            return started;
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        } catch (BrokerException e) {
            if (!isKept || !Files.exists(directory())) {
                throw e;
            }
            throw new BrokerException(e.getMessage() + System.lineSeparator() + "Its files are kept in " + directory() + ".", e);
        }
    }
}
