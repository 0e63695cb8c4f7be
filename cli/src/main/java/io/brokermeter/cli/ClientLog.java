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

/**
 * The client libraries' log: warnings and errors, a line each, on standard error. The JDK's log manager makes an instance
 * when something logs for the first time, so a run that logs nothing loads none of it.
 */
public final class ClientLog {

    /** What clients say about things that the run itself reports, or that need no one's attention. */
    private static final List<String> NOISE = List.of(
        "AMQ212037", // connection failure detected: the run reports a lost connection with its cause
        "AMQ212048", // a random address was created for the cluster
        "AMQ212054", // destination is full, sends block: the run reports stalls
        "AMQ214016", // failed to create netty connection: part of the cause of a failed connect
        "AMQ212007", "AMQ212002");

    /** Loggers whose warnings are of that kind: Kafka's clients warn at every try to reach a broker that is gone. */
    private static final List<String> NOISY = List.of("org.apache.kafka.");

    /**
     * How the names of loggers begin of which nothing is shown: RocketMQ's client logs each failed send and each attempt to connect as a
     * warning or an error.
     */
    private static final List<String> QUIET = List.of("Rocketmq", "org.apache.rocketmq.");

    private static volatile boolean verbose;

    /** Says which class configures the log; must come before anything logs. */
    static void configure() {
        System.setProperty("java.util.logging.config.class", ClientLog.class.getName());
    }

    /** From now on information is logged too, noise is let through, and stack traces are printed. */
    static void beVerbose() {
        verbose = true;
        Logger.getLogger("").setLevel(Level.INFO);
    }

    /** Called by the JDK's log manager. */
    public ClientLog() throws IOException {
        String settings = "handlers=" + ToStandardError.class.getName() + "\n.level=WARNING\n";
        LogManager.getLogManager().readConfiguration(new ByteArrayInputStream(settings.getBytes(StandardCharsets.UTF_8)));
    }

    /** Whether it is about something that the run itself reports, or that needs no one's attention. */
    static boolean isNoise(LogRecord record) {
        String message = String.valueOf(record.getMessage());
        return NOISE.stream().anyMatch(message::startsWith) || isOneOf(QUIET, record)
            || record.getLevel().intValue() < Level.SEVERE.intValue() && isOneOf(NOISY, record);
    }

    private static boolean isOneOf(List<String> names, LogRecord record) {
        String logger = record.getLoggerName();
        return logger != null && names.stream().anyMatch(logger::startsWith);
    }

    /** Writes records to standard error; made by the log manager. */
    public static final class ToStandardError extends Handler {

        private final SimpleFormatter formatter = new SimpleFormatter();

        /** Called by the JDK's log manager. */
        public ToStandardError() {
            setLevel(Level.ALL);
        }

        @Override
        public void publish(LogRecord record) {
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
