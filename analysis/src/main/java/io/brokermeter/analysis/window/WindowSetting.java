package io.brokermeter.analysis.window;

import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;

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
public record WindowSetting(String protocol, String broker, FarSide side, Place place, Limit unit, String name, double value,
        double topicValue,
        String key, String change, String source) {

    /** What it is made of by name. */
    @SuppressWarnings("NullAway.Init") // what has no default is asked for when all is set
    public static final class Values {

        public String protocol;
        public String broker;
        public FarSide side;
        public Place place;
        public Limit unit;
        public String name;
        public double value;
        public double topicValue;
        public String key;
        public String change;
        public String source;

        private Values() {}
    }

    /** Of what {@code change} sets. */
    public static WindowSetting of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new WindowSetting(Objects.requireNonNull(its.protocol, "protocol"), Objects.requireNonNull(its.broker, "broker"),
            Objects.requireNonNull(its.side, "side"), Objects.requireNonNull(its.place, "place"),
            Objects.requireNonNull(its.unit, "unit"), Objects.requireNonNull(its.name, "name"), its.value, its.topicValue,
            Objects.requireNonNull(its.key, "key"), Objects.requireNonNull(its.change, "change"),
            Objects.requireNonNull(its.source, "source"));
    }

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
