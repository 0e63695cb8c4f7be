package io.brokermeter.driver.stomp;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.Parameters;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.spi.parameter.ServerUrl;
import org.jspecify.annotations.Nullable;

/**
 * The settings from URL and parameters.
 *
 * @param version the only version to offer, or null for all
 * @param receipts whether the broker confirms messages by receipts
 * @param receiptsEvery number of messages that one receipt confirms
 * @param ack the mode of acknowledgement, or null to choose it by the consumer's settings
 * @param heartBeatOut interval of heart-beats in milliseconds that we offer, 0 for none
 * @param heartBeatIn interval of the broker's heart-beats in milliseconds that we request, 0 for none
 * @param dialect the broker, or null to use what it reports
 * @param queuePrefix prefix of the names of queues, or null for the broker's usual one
 * @param topicPrefix prefix of the names of topics, or null for the broker's usual one
 * @param prefetch default prefetch in messages; 0 if none is given
 * @param windowBytes default window of Artemis in bytes; -1 for no limit
 * @param tls options of TLS, or null for plain TCP
 */
record StompSettings(
        ServerUrl url, @Nullable StompVersion version, boolean receipts, int receiptsEvery, @Nullable Ack ack,
        int heartBeatOut, int heartBeatIn, String host, @Nullable Dialect dialect, @Nullable String queuePrefix,
        @Nullable String topicPrefix, int prefetch, int windowBytes,
        @Nullable String contentType, @Nullable TlsOptions tls) {

    static final Set<String> SCHEMES = Set.of("stomp", "stomps", "stomp+ssl");
    static final int PORT = 61613;

    /** The shortest interval that can be offered: a heart-beat is due after half of it, which is looked at every 50 ms. */
    private static final int SHORTEST_BEAT_MILLIS = 200;

    static final List<Parameter> PARAMETERS = TlsOptions.with(
        new Parameter("version", "auto|1.0|1.1|1.2", "auto",
            "Version of the protocol; auto takes the highest that the broker offers."),
        new Parameter("receipts", "true|false", "true",
            "Whether the broker confirms messages with receipts; without, a message counts as confirmed when it is written."),
        new Parameter("receipts-every", "N", "1",
            "Asks for a receipt with every N-th message and with the last one before a pause; it confirms all before it."),
        new Parameter("ack", "auto|client|client-individual", "",
            "Mode of acknowledgement; the default is client for batches and client-individual otherwise."),
        new Parameter("heart-beat", "OUT,IN", "10000,10000",
            "Milliseconds between signs of life that we offer (200 at least) and ask for, 0 for none; a broker is lost after three without"
                + " one."),
        new Parameter("host", "NAME", "/", "Virtual host."),
        new Parameter("broker", "auto|artemis|activemq|rabbitmq|other", "auto",
            "Whose headers and prefixes to use; auto believes what the broker says it is."),
        new Parameter("queue-prefix", "TEXT", "",
            "What stands before the name of a queue; the default is /queue/, and nothing for Artemis."),
        new Parameter("topic-prefix", "TEXT", "",
            "What stands before the name of a topic; the default is /topic/, and nothing for Artemis."),
        new Parameter("default-prefetch", "N", "1000",
            "Messages that ActiveMQ Classic and RabbitMQ may send ahead when no prefetch is given."),
        new Parameter("consumer-window-size", "BYTES", "1048576",
            "Bytes that Artemis may send ahead of their acknowledgement, -1 for no limit."),
        new Parameter("content-type", "TYPE", "", "Header content-type of every message."));

    /** The modes of acknowledgement, with the protocol's words. */
    enum Ack {

        AUTO("auto"), CLIENT("client"), INDIVIDUAL("client-individual");

        private final String word;

        Ack(String word) {
            this.word = word;
        }

        static Ack of(String word) {
            return Stream.of(values()).filter(each -> each.word.equals(word)).findFirst().orElseThrow();
        }

        String word() {
            return word;
        }
    }

    /** @throws IllegalArgumentException with one sentence for the user */
    static StompSettings of(Driver driver, ConnectionSettings settings) {
        ServerUrl url = ServerUrl.parse(settings.url(), SCHEMES, PORT);
        if (!url.path().isEmpty()) {
            throw new IllegalArgumentException("URL '" + url.address() + "/" + url.path()
                + "' cannot be used: STOMP has no path there; a virtual host is the parameter host.");
        }
        carry("user", settings.user());
        Secret secret = settings.password();
        carry("password", secret == null ? null : secret.reveal());
        carry("client id", settings.clientId());
        Parameters given = Parameters.of(driver, url, settings);
        boolean tls = !url.scheme().equals("stomp");
        boolean receipts = given.flag("receipts");
        int every = given.number("receipts-every", 1, 1_000_000);
        if (!receipts && every > 1) {
            throw new IllegalArgumentException("Parameters receipts=false and receipts-every contradict each other; give one.");
        }
        String version = given.choice("version", "auto", "1.0", "1.1", "1.2");
        String broker = given.choice("broker", "auto", "artemis", "activemq", "rabbitmq", "other");
        int[] beats = heartBeat(given.text("heart-beat").orElse("0,0"));
        Ack ack = given.has("ack") ? Ack.of(given.choice("ack", "auto", "client", "client-individual")) : null;
        return new StompSettings(url, version.equals("auto") ? null : StompVersion.of(version), receipts, every, ack, beats[0], beats[1],
            line(given, "host").orElse("/"), broker.equals("auto") ? null : Dialect.named(broker),
            given.has("queue-prefix") ? line(given, "queue-prefix").orElse("") : null,
            given.has("topic-prefix") ? line(given, "topic-prefix").orElse("") : null,
            given.has("default-prefetch") ? given.number("default-prefetch", 1, 65_535) : 0,
            given.number("consumer-window-size", -1, Integer.MAX_VALUE), line(given, "content-type").orElse(null),
            TlsOptions.of(given, tls, "write stomp+ssl:// instead of stomp://").orElse(null));
    }

    /** Checks that the first frame of a connection, which has no escapes, can carry a text. */
    private static void carry(String what, @Nullable String text) {
        if (text != null && text.chars().anyMatch(c -> c == '\n' || c == '\r' || c == 0)) {
            throw new IllegalArgumentException("STOMP cannot carry a " + what
                + " with a line break or a null character; choose another one.");
        }
    }

    private static Optional<String> line(Parameters given, String name) {
        Optional<String> text = given.text(name);
        if (text.isPresent() && text.get().chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("Parameter " + name + " of protocol STOMP must be one line.");
        }
        return text;
    }

    private static int[] heartBeat(String text) {
        int[] beats = StompHandshake.heartBeats(text);
        if (beats == null) {
            throw new IllegalArgumentException("Parameter heart-beat of protocol STOMP must be two numbers of milliseconds "
                + "with a comma between them, not '" + text + "'.");
        }
        if (beats[0] > 0 && beats[0] < SHORTEST_BEAT_MILLIS) {
            throw new IllegalArgumentException("Parameter heart-beat of protocol STOMP must offer 0 or at least " + SHORTEST_BEAT_MILLIS
                + " ms, not '" + text + "'.");
        }
        return beats;
    }

    /** Returns the prefix of queues or topics that the user set, or null. */
    @Nullable String prefix(boolean topic) {
        return topic ? topicPrefix : queuePrefix;
    }
}
