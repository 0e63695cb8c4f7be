package io.brokermeter.analysis.window;

import java.util.Locale;

import io.brokermeter.analysis.statistics.WindowFit.Limit;
import org.jspecify.annotations.Nullable;

/**
 * A setting that governs how much is in flight between a client and its broker.
 *
 * @param protocol the protocol to which the setting applies, or {@code *}
 * @param broker the broker to which the setting applies, or {@code *}
 * @param side the end whose messages the window holds back
 * @param place the component that has the window
 * @param unit whether the window counts messages or bytes
 * @param name name of the setting in its manual
 * @param value the default; NaN where it depends on the system
 * @param topicValue the default for consumers of topics; NaN where it depends on the system
 * @param key key of a scenario file that sets it, {@code producers.maxPending}; empty where it can only be set by hand
 * @param change the value to try, or a factor, {@code x4} for four times as much
 * @param source source of this information
 */
public record WindowSetting(String protocol, String broker, FarSide side, Component place, Limit unit, String name, double value,
        double topicValue,
        String key, String change, String source) {

    /** A component that has a window. */
    public enum Component {
        /** The tool itself, in place of a user's own program. */
        TOOL("brokermeter's own window"),
        /** The client library. */
        CLIENT("the client's window"),
        /** The mode in which deliveries are acknowledged. */
        ACKNOWLEDGEMENT("the acknowledgement mode"),
        /** The socket of the client. */
        CLIENT_SOCKET("the client's socket"),
        /** The broker. */
        BROKER("the broker's window"),
        /** The socket of the broker. */
        BROKER_SOCKET("the broker's socket"),
        /** The sockets of client and broker. */
        BOTH_SOCKETS("the sockets of client and broker");

        private final String words;

        Component(String words) {
            this.words = words;
        }

        /** Returns the name of the component in a sentence. */
        public String words() {
            return words;
        }
    }

    /** Returns whether a scenario file can set it. */
    public boolean canBeTried() {
        return !key.isEmpty();
    }

    /**
     * Returns the value to try.
     *
     * @param now the current value; NaN when it is not known
     * @return null when there is no value to try
     */
    public @Nullable String tried(double now) {
        if (!change.startsWith("x")) {
            return change;
        }
        return Double.isNaN(now) ? null : String.format(Locale.ROOT, "%.0f", now * Double.parseDouble(change.substring(1)));
    }
}
