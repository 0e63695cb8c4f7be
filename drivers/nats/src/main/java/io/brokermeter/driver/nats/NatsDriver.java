package io.brokermeter.driver.nats;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.driver.wire.Dialer;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionMemory;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.Parameters;
import io.brokermeter.spi.parameter.ServerUrl;
import io.brokermeter.spi.parameter.Setting;
import io.brokermeter.spi.parameter.StoreParameter;
import org.jspecify.annotations.Nullable;

/** The driver for NATS. It does not reconnect, so that a lost connection is reported as lost. */
public final class NatsDriver implements Driver {

    private static final Set<String> SCHEMES = Set.of("nats", "tls");
    static final String CREDENTIALS = "credentials";
    private static final int PORT = 4222;
    private static final String TLS_REMEDY = "the URL must begin with tls://";
    private static final List<String> OF_STREAMS = List.of("storage", "replicas", "ack-wait");
    private static final int LONGEST_TEXT = 1000;
    private static final Pattern SUBJECT = Pattern.compile("[^\\s*>.]+(\\.[^\\s*>.]+)*");

    @Override
    public String protocol() {
        return "NATS";
    }

    @Override
    public Set<String> schemes() {
        return SCHEMES;
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.of(Capability.TOPICS, Capability.DURABLE_SUBSCRIPTIONS, Capability.SHARED_SUBSCRIPTIONS,
            Capability.PERSISTENCE, Capability.PREFETCH, Capability.HEADERS, Capability.BATCH_ACKNOWLEDGEMENT,
            Capability.CONFIRMATIONS, Capability.DEPTH, Capability.VARIANTS, Capability.ENVELOPE_PROPERTY, Capability.REQUEUE,
            Capability.REJECT, Capability.POLLING);
    }

    /** Returns whether the destination is a queue with a stream; without one it is a queue group, which keeps nothing. */
    @Override
    public boolean keeps(ConnectionSettings settings, Destination destination) {
        return !destination.isTopic() && !read(settings).core();
    }

    @Override
    public Set<Capability> capabilities(ConnectionSettings settings) {
        NatsSettings chosen = read(settings);
        if (chosen.core()) {
            return EnumSet.of(Capability.TOPICS, Capability.SHARED_SUBSCRIPTIONS, Capability.HEADERS,
                Capability.VARIANTS, Capability.ENVELOPE_PROPERTY);
        }
        Set<Capability> all = capabilities();
        if (!chosen.file()) {
            all.remove(Capability.PERSISTENCE);
        }
        return all;
    }

    @Override
    public List<Parameter> parameters() {
        return TlsOptions.with(
            new Parameter("mode", "jetstream|core", "jetstream", "Streams that keep messages and confirm them, or plain subjects"
                + " that do neither."),
            new Parameter("storage", "file|memory", "file", "Where the streams that are created keep their messages."),
            new Parameter("replicas", "N", "1", "On how many servers of a cluster the streams that are created stand."),
            new Parameter("ack-wait", "SECONDS", "30", "How long the server waits for an acknowledgement before it delivers"
                + " again."),
            new Parameter(CREDENTIALS, "FILE", "", "A file with the user's JWT and NKey seed, or with a seed alone, which take the place"
                + " of user and password."),
            new Parameter("tls-first", "true|false", "false", "Whether TLS begins before the server's first word, as a server"
                + " with handshake_first wants it."));
    }

    @Override
    public List<StoreParameter> stores() {
        return TlsOptions.STORES;
    }

    /** Returns true: the password is then a token. */
    @Override
    public boolean takesPasswordAlone(ConnectionSettings settings) {
        return true;
    }

    @Override
    public String client() {
        return "brokermeter's own";
    }

    /** The settings from URL and parameters. */
    record NatsSettings(
            ServerUrl url, boolean core, boolean file, int replicas, Duration ackWait, @Nullable TlsOptions tls, boolean tlsFirst,
            @Nullable Credentials credentials) {}

    private NatsSettings read(ConnectionSettings settings) {
        ServerUrl url = ServerUrl.parse(settings.url(), SCHEMES, PORT);
        Parameters parameters = Parameters.of(this, url, settings);
        Optional<TlsOptions> tls = TlsOptions.of(parameters, url.scheme().equals("tls"), TLS_REMEDY);
        boolean tlsFirst = parameters.flag("tls-first");
        if (tlsFirst && tls.isEmpty()) {
            throw new IllegalArgumentException("Parameter tls-first needs TLS; " + TLS_REMEDY + ".");
        }
        boolean core = parameters.choice("mode", "jetstream", "core").equals("core");
        for (String name : OF_STREAMS) {
            if (core && parameters.has(name)) {
                throw new IllegalArgumentException("Parameter " + name + " is about streams, which there are none of with mode=core;"
                    + " leave one of them out.");
            }
        }
        return new NatsSettings(url, core,
            parameters.choice("storage", "file", "memory").equals("file"), parameters.number("replicas", 1, 5),
            Duration.ofSeconds(parameters.number("ack-wait", 1, 86_400)), tls.orElse(null), tlsFirst, credentials(parameters, settings));
    }

    private static @Nullable Credentials credentials(Parameters parameters, ConnectionSettings settings) {
        Optional<String> file = parameters.text(CREDENTIALS);
        if (file.isEmpty()) {
            return null;
        }
        if (settings.user() != null || settings.password() != null) {
            throw new IllegalArgumentException(
                "Parameter " + CREDENTIALS + " takes the place of user and password; leave out one of them.");
        }
        return Credentials.read(CREDENTIALS, Path.of(file.get()));
    }

    @Override
    public void check(ConnectionSettings settings) {
        read(settings);
        carry("user name", settings.user());
        var secret = settings.password();
        carry("password", secret == null ? null : secret.reveal());
        carry("client id", settings.clientId());
    }

    /**
     * Checks the length and the characters of a text. User name, password and client id share one line, which servers limit to 4096 bytes,
     * including escapes.
     */
    private static void carry(String what, @Nullable String text) {
        if (text != null && text.getBytes(StandardCharsets.UTF_8).length > LONGEST_TEXT) {
            throw new IllegalArgumentException("NATS cannot carry this " + what + "; it has more than " + LONGEST_TEXT + " bytes.");
        }
        if (text != null && text.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("NATS cannot carry this " + what + "; it has a control character.");
        }
    }

    @Override
    public void check(ConnectionSettings settings, Destination destination) {
        if (!SUBJECT.matcher(destination.name()).matches()) {
            throw new IllegalArgumentException("Destination " + destination + " is no subject of NATS: words with single dots"
                + " between them, without blanks, * and >.");
        }
    }

    /** Checks that the prefetch is not smaller than a batch of acknowledgements, since it limits the unacknowledged messages. */
    @Override
    public void check(ConnectionSettings settings, Destination destination, ConsumerSettings consumer) {
        int prefetch = Math.max(1, consumer.prefetch());
        if (!read(settings).core() && consumer.ackMode() != AckMode.AUTO && consumer.prefetch() >= 0 && prefetch < consumer.batch()) {
            throw new Refusal("A prefetch of %d is smaller than the %d messages of an acknowledgement, so that none would ever be full;"
                + " raise %s or lower %s.", prefetch, consumer.batch(), Setting.PREFETCH, Setting.CONSUMER_BATCH);
        }
    }

    @Override
    public boolean takesSource(ConnectionSettings settings) {
        return true;
    }

    @Override
    public ConnectionMemory memory(ConnectionSettings settings) {
        return ConnectionMemory.SOCKET.withHeap(20_000);
    }

    @Override
    public Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception {
        NatsSettings chosen = read(settings);
        NatsGreeting.Met met = Dialer.dial(chosen.url().servers(), settings.source(), settings.connectTimeout(), chosen.tls(), TlsNames.OWN,
            chosen.tls() == null || chosen.tlsFirst() ? "is it a NATS server?" : "does it want TLS first (tls-first=true)?",
            new NatsGreeting(settings, chosen));
        return new NatsConnection(met, settings, chosen, listener);
    }
}
