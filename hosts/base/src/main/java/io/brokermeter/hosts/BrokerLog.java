package io.brokermeter.hosts;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.logging.FileHandler;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * Collects the warnings and errors of the broker: in a file of its directory, never on the terminal, and the last ones
 * in memory, where a failing start finds its cause. Thread-safe.
 */
public final class BrokerLog extends Handler {

    private static final int KEPT = 20;

    private final Deque<String> recent = new ArrayDeque<>();

    private BrokerLog() {
        setLevel(Level.WARNING);
    }

    public static BrokerLog open(Path file) throws IOException {
        LogManager.getLogManager().reset();
        Logger root = Logger.getLogger("");
        root.setLevel(Level.WARNING);
        FileHandler handler = new FileHandler(file.toString().replace("%", "%%"), true);
        handler.setFormatter(new SimpleFormatter());
        handler.setLevel(Level.WARNING);
        root.addHandler(handler);
        BrokerLog log = new BrokerLog();
        root.addHandler(log);
        return log;
    }

    /** Returns the last messages, oldest first, each one line. */
    public synchronized List<String> recent() {
        return List.copyOf(recent);
    }

    @Override
    public synchronized void publish(LogRecord record) {
        if (!isLoggable(record)) {
            return;
        }
        if (recent.size() == KEPT) {
            recent.removeFirst();
        }
        StringBuilder line = new StringBuilder(new SimpleFormatter().formatMessage(record));
        for (Throwable thrown = record.getThrown(); thrown != null; thrown = thrown.getCause()) {
            line.append(": ").append(thrown);
        }
        recent.addLast(line.toString().replaceAll("\\s*\\R\\s*", " "));
    }

    @Override
    public void flush() {
        // nothing is buffered
    }

    @Override
    public void close() {
        // nothing is open
    }
}
