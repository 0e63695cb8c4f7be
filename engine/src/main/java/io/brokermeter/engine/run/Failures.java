package io.brokermeter.engine.run;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.OutOfMemory;
import io.brokermeter.spi.parameter.Setting;

/**
 * Counts failures of sends and of consumers, and sends whose fate is unknown, by cause. Any thread may add; that is not on the hot path of
 * a healthy run. The number of distinct causes that are kept is bounded.
 */
public final class Failures {

    private static final int MOST_CAUSES = 20;

    private final Map<String, Long> causes = new LinkedHashMap<>();
    private final Map<String, Long> unknown = new LinkedHashMap<>();
    private final Function<Setting, String> names;

    /** @param names gives the name of a setting in sentences for the user */
    public Failures(Function<Setting, String> names) {
        this.names = names;
    }

    /** Counts a failure of a send or of a consumer. */
    public void add(Throwable cause) {
        add(causes, cause, 1);
    }

    /** Counts sends whose fate is unknown. */
    public void addUnknown(Throwable cause, long count) {
        if (count > 0) {
            add(unknown, cause, count);
        }
    }

    private synchronized void add(Map<String, Long> to, Throwable cause, long count) {
        String text = text(cause);
        to.merge(to.containsKey(text) || to.size() < MOST_CAUSES ? text : "other causes", count, Long::sum);
    }

    /** Returns the number of failures for each cause. */
    synchronized Map<String, Long> counts() {
        return new LinkedHashMap<>(causes);
    }

    /** Returns the number of sends of unknown fate for each cause, as far as the cause was reported. */
    synchronized Map<String, Long> unknownCounts() {
        return new LinkedHashMap<>(unknown);
    }

    /**
     * Returns one line that names a cause for the user: the message of the exception, with those of its causes that add something,
     * since client libraries like to wrap "Connection refused" into "Failed to create session factory". A message that ends as
     * a sentence does was written by a driver for the user, and stands alone.
     */
    public String text(Throwable cause) {
        OutOfMemory.check(cause);
        StringBuilder text = new StringBuilder();
        int depth = 0;
        for (Throwable t = cause; t != null && depth < 6; t = t.getCause(), depth++) {
            if (t instanceof DriverException known) {
                return known.sentence(names);
            }
            if (t.getCause() != null && t.getCause().toString().equals(t.getMessage())) {
                // The message that a wrapper gets by itself says nothing that the cause does not say without the name of its class.
                continue;
            }
            String message = t.getMessage() == null || t.getMessage().isBlank()
                ? name(t) : t.getMessage().strip().replaceAll("\\s*\\R\\s*", " ");
            if (t instanceof java.net.UnknownHostException) {
                message = "unknown host " + message;
            } else if (t instanceof OutOfMemoryError) {
                message =
                    "out of memory (" + message + "): give this program more by JAVA_ARGS, for example JAVA_ARGS=-Xmx4g; large messages "
                        + "need several times their size for each that is in flight";
            }
            if (text.indexOf(message) < 0) {
                if (!text.isEmpty()) {
                    text.append(": ");
                }
                text.append(message);
            }
            if (depth == 0 && message.endsWith(".")) {
                break;
            }
        }
        return text.toString();
    }

    private static String name(Throwable t) {
        return t instanceof TimeoutException ? "no answer in time" : t.getClass().getSimpleName();
    }
}
