package io.brokermeter.trials;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.access.BrokerChoice;

/**
 * A broker to start.
 *
 * @param name name of the broker
 * @param options options of the broker, among them its directory
 * @param isKept whether that directory is kept at the end
 */
public record Throwaway(BrokerName name, BrokerOptions options, boolean isKept) {

    /** Creates a broker with a directory of its own, which is deleted at the end. */
    public static Throwaway of(BrokerChoice choice) {
        return new Throwaway(choice.name(), choice.options().withDirectory(BrokerOptions.newDirectory()), false);
    }

    /** Returns this broker as a scenario file names it. */
    BrokerChoice choice(BrokerName started) {
        return BrokerChoice.of(started, options);
    }

    /** Returns what happens to the files of the broker at the end: {@code gone at the end}, or where they stay. */
    String fate() {
        return isKept ? "kept in " + directory() : "gone at the end";
    }

    /** Returns the directory of the files of the broker. */
    public Path directory() {
        return options.directory().orElseThrow();
    }

    /**
     * Starts the broker and returns when it serves.
     *
     * @param progress receives reports of steps that take long
     * @throws UsageException for a version, a property or the like that the broker does not have
     * @throws BrokerException when the broker does not start
     */
    public Broker start(Consumer<String> progress) throws BrokerException {
        Consumer<String> seen = progress instanceof ProgressLine line ? line::drawOnly : progress;
        try (StartProgress starting = new StartProgress(name, options, progress, seen, StartProgress.store())) {
            Broker started = Broker.start(name, options.withProgress(starting));
            starting.ready();
            return started;
        } catch (IllegalArgumentException e) {
            throw new UsageException(e);
        } catch (BrokerException e) {
            if (e.isRefusal()) {
                throw new UsageException(String.valueOf(e.getMessage()));
            }
            if (!isKept || !Files.exists(directory())) {
                throw e;
            }
            throw new BrokerException(e.getMessage() + System.lineSeparator() + "Its files are kept in " + directory() + ".", e);
        }
    }
}
