package io.brokermeter.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

import io.brokermeter.spi.failure.OutOfMemory;

/**
 * The configuration of the client libraries' log: warnings and errors, one line each, on standard error. The JDK's log manager
 * creates an instance when something logs for the first time, so a run that logs nothing does not load it.
 */
public final class ClientLog {

    /** The beginnings of messages about events that the run itself reports, or that need no attention. */
    private static final List<String> NOISE = List.of(
        "AMQ212037", // connection failure detected: the run reports a lost connection with its cause
        "AMQ212048", // a random address was created for the cluster
        "AMQ212054", // destination is full, sends block: the run reports stalls
        "AMQ214015", // the end of a connection came after its client had closed
        "AMQ214016", // failed to create netty connection: part of the cause of a failed connect
        "AMQ212007", "AMQ212002");

    /** The prefixes of loggers whose warnings are noise, too: Kafka's clients warn at every attempt to reach a broker that is gone. */
    private static final List<String> NOISY = List.of("org.apache.kafka.");

    /**
     * The prefixes of loggers whose records are all noise: RocketMQ's client logs each failed send and each attempt to connect as a warning
     * or an error.
     */
    private static final List<String> QUIET = List.of("Rocketmq", "org.apache.rocketmq.");

    private static volatile boolean verbose;

    /** Makes this class configure the log; must be called before anything logs. */
    static void configure() {
        System.setProperty("java.util.logging.config.class", ClientLog.class.getName());
    }

    /** Makes the log verbose from now on: with informational messages, noise and stack traces. */
    static void beVerbose() {
        verbose = true;
        Logger.getLogger("").setLevel(Level.INFO);
    }

    /** Called by the JDK's log manager. */
    public ClientLog() throws IOException {
        String settings = "handlers=" + ToStandardError.class.getName() + "\n.level=WARNING\n";
        LogManager.getLogManager().readConfiguration(new ByteArrayInputStream(settings.getBytes(StandardCharsets.UTF_8)));
    }

    /** Returns whether a record is about an event that the run itself reports, or that needs no attention. */
    static boolean isNoise(LogRecord record) {
        String message = String.valueOf(record.getMessage());
        return NOISE.stream().anyMatch(message::startsWith) || isOneOf(QUIET, record)
            || record.getLevel().intValue() < Level.SEVERE.intValue() && isOneOf(NOISY, record);
    }

    private static boolean isOneOf(List<String> names, LogRecord record) {
        String logger = record.getLoggerName();
        return logger != null && names.stream().anyMatch(logger::startsWith);
    }

    /** Writes records to standard error; created by the log manager. */
    public static final class ToStandardError extends Handler {

        private final SimpleFormatter formatter = new SimpleFormatter();

        /** Called by the JDK's log manager. */
        public ToStandardError() {
            setLevel(Level.ALL);
        }

        @Override
        public void publish(LogRecord record) {
            if (record.getThrown() != null) {
                OutOfMemory.check(record.getThrown());
            }
            if (!isLoggable(record) || !verbose && isNoise(record)) {
                return;
            }
            String message = String.valueOf(formatter.formatMessage(record));
            int level = record.getLevel().intValue();
            StringBuilder line = new StringBuilder(level >= Level.SEVERE.intValue() ? "error"
                : level >= Level.WARNING.intValue() ? "warning" : "info");
            String logger = record.getLoggerName();
            line.append(" (").append(logger == null ? "log" : logger.substring(logger.lastIndexOf('.') + 1)).append("): ")
                .append(message.lines().findFirst().orElse(""));
            Throwable thrown = record.getThrown();
            if (thrown != null && !verbose) {
                line.append(": ").append(thrown.getMessage() == null
                    ? thrown.getClass().getSimpleName() : thrown.getMessage().lines().findFirst().orElse(""));
            }
            synchronized (System.err) {
                System.err.println(line);
                if (thrown != null && verbose) {
                    thrown.printStackTrace();
                }
            }
        }

        @Override
        public void flush() {
            System.err.flush();
        }

        @Override
        public void close() {}
    }
}
