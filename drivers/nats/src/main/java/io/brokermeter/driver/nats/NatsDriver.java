package io.brokermeter.driver.nats;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

import io.brokermeter.driver.tls.Tls;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionMemory;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.Parameters;
import io.brokermeter.spi.parameter.ServerUrl;
import io.brokermeter.spi.parameter.Setting;
import io.brokermeter.spi.parameter.StoreParameter;
import io.nats.client.AuthenticationException;
import io.nats.client.Nats;
import io.nats.client.Options;
import org.jspecify.annotations.Nullable;

/** The driver for NATS over {@code jnats}. The client does not reconnect, so that a lost connection is reported as lost. */
public final class NatsDriver implements Driver {

    private static final Set<String> SCHEMES = Set.of("nats", "tls");
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
        return "jnats " + Nats.CLIENT_VERSION;
    }

    /** The settings from URL and parameters. */
    record NatsSettings(
            ServerUrl url, boolean core, boolean file, int replicas, Duration ackWait, Optional<TlsOptions> tls, boolean tlsFirst) {}

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
            Duration.ofSeconds(parameters.number("ack-wait", 1, 86_400)), tls, tlsFirst);
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

    /** Most of it are the client's buffers, of six threads. */
    @Override
    public ConnectionMemory memory(ConnectionSettings settings) {
        return new ConnectionMemory(190_000, 0, 2, 0);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Of several servers it is the first one that can be used. Each attempt has its share of the time that is left, and a client of its
     * own that knows this server alone: since the client does not reconnect, it needs no other, and what it says of one is not about another.
     */
    @Override
    public Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception {
        NatsSettings chosen = read(settings);
        long deadline = System.nanoTime() + settings.connectTimeout().toNanos();
        Tls tls = chosen.tls().isPresent() ? Tls.open(chosen.tls().get()) : null;
        List<ServerUrl.Server> servers = chosen.url().servers();
        DriverException failure = null;
        boolean greeted = false;
        for (int i = 0; i < servers.size(); i++) {
            Duration share = Duration.ofNanos(Math.max(1_000_000, deadline - System.nanoTime())).dividedBy(servers.size() - i);
            Attempt attempt = new Attempt(servers.get(i), share, tls);
            try {
                return attempt.connect(chosen, settings, listener);
            } catch (DriverException e) {
                if (failure == null || attempt.greeted && !greeted) {
                    failure = e;
                    greeted = attempt.greeted;
                }
            }
        }
        throw Objects.requireNonNull(failure);
    }

    /** An attempt to connect to one server. */
    private static final class Attempt {

        private final ServerUrl.Server server;
        private final Duration limit;
        private final @Nullable Tls tls;
        /** Whether the server spoke NATS, so that a failure is its own and not that of the way to it. */
        private boolean greeted;

        /** @param limit the longest that the attempt may take */
        Attempt(ServerUrl.Server server, Duration limit, @Nullable Tls tls) {
            this.server = server;
            this.limit = limit;
            this.tls = tls;
        }

        Connection connect(NatsSettings chosen, ConnectionSettings settings, ConnectionListener listener) throws Exception {
            long deadline = System.nanoTime() + limit.toNanos();
            new ServerGreeting(server, tls, chosen.tlsFirst(), limit).require();
            greeted = true;
            LossListener losses = new LossListener(listener, tls);
            Repetition repetition = new Repetition();
            Options.Builder options = new Options.Builder()
                .server(chosen.url().scheme() + "://" + server).ignoreDiscoveredServers()
                .connectionTimeout(Duration.ofNanos(Math.max(1_000_000, deadline - System.nanoTime())))
                // a thread of the client may stand still for ten seconds without a loss; a silent server is noticed after 20 to 25 s
                .noReconnect().pingInterval(Duration.ofSeconds(5)).maxPingsOut(3).scheduledExecutor(repetition)
                .dataPortType(LengthCheckedSocket.class.getName())
                // By default the client drops or refuses the messages by which an unlimited sender is ahead of the socket.
                .writeQueuePushTimeout(settings.connectTimeout())
                .connectionListener(losses).errorListener(losses);
            if (tls != null) {
                // other modes hide the host's name, which the certificate must contain, from the socket
                options.sslContext(tls.context()).hostnameResolveMode(Options.HostnameResolveMode.HappyEyeballs);
            }
            if (chosen.tlsFirst()) {
                options.tlsFirst();
            }
            var password = settings.password();
            if (settings.user() != null) {
                options.userInfo(settings.user().toCharArray(), password == null ? new char[0] : password.reveal().toCharArray());
            } else if (password != null) {
                options.token(password.reveal().toCharArray());
            }
            if (settings.clientId() != null) {
                options.connectionName(settings.clientId());
            }
            io.nats.client.@Nullable Connection connection = null;
            try {
                connection = losses.connect(options.build());
            } catch (AuthenticationException e) {
                throw refused(settings, e);
            } catch (IOException e) {
                if (String.valueOf(e.getMessage()).contains("uthorization") || losses.refusedLogin()) {
                    throw refused(settings, e);
                }
                throw new DriverException("The NATS server at " + server + " does not take the connection (" + e.getMessage() + ").", e);
            } finally {
                if (connection == null) {
                    repetition.shutdownNow();
                }
            }
            NatsConnection made = new NatsConnection(connection, repetition, settings, chosen, listener);
            losses.connected(made);
            return made;
        }
    }

    private static DriverException refused(ConnectionSettings settings, Exception cause) {
        String who = settings.user() == null
            ? settings.password() == null ? "a connection without a user name or a token" : "the token"
            : "user '" + settings.user() + "'";
        return new DriverException("The broker refused " + who + "; check user and password.", cause);
    }
}
