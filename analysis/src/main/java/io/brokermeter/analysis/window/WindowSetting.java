package io.brokermeter.analysis.window;

import java.util.Locale;

import io.brokermeter.analysis.statistics.WindowFit.Limit;
import org.jspecify.annotations.Nullable;

/**
 * A setting that governs how much is under way between an end and its broker.
 *
 * @param protocol the protocol where it counts, or {@code *}
 * @param broker the broker where it counts, or {@code *}
 * @param side the end whose messages it holds back
 * @param place who has the window
 * @param unit whether it counts messages or bytes
 * @param name what its manual calls it
 * @param value what holds unless somebody sets it; NaN where that depends on the system
 * @param topicValue the same for consumers of topics
 * @param key the key of a scenario file that sets it, {@code producers.maxPending}; empty where only a person can, by hand
 * @param change the value to try, {@code x4} for four times as much
 * @param source where that is written
 */
public record WindowSetting(String protocol, String broker, Side side, Place place, Limit unit, String name, double value,
        double topicValue,
        String key, String change, String source) {

    /** Who has a window. */
    public enum Place {
        /** This program, whose part a user's own program has otherwise. */
        TOOL("brokermeter's own window"),
        /** The client library. */
        CLIENT("the client's window"),
        /** How deliveries are acknowledged. */
        ACKNOWLEDGEMENT("the acknowledgement mode"),
        /** The socket of the client. */
        CLIENT_SOCKET("the client's socket"),
        /** The broker. */
        BROKER("the broker's window"),
        /** The socket of the broker. */
        BROKER_SOCKET("the broker's socket"),
        /** The sockets of both. */
        BOTH_SOCKETS("the sockets of client and broker");

        private final String words;

        Place(String words) {
            this.words = words;
        }

        /** What a sentence calls it. */
        public String words() {
            return words;
        }
    }

    /** Whether a scenario file can set it. */
    public boolean canBeTried() {
        return !key.isEmpty();
    }

    /**
     * The value that is tried.
     *
     * @param now the value that counts before, NaN when nobody knows
     * @return null when there is nothing that could be tried
     */
    public @Nullable String tried(double now) {
        if (!change.startsWith("x")) {
            return change;
        }
        return Double.isNaN(now) ? null : String.format(Locale.ROOT, "%.0f", now * Double.parseDouble(change.substring(1)));
    }
}
