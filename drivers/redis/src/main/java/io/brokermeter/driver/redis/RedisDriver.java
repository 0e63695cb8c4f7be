package io.brokermeter.driver.redis;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.driver.wire.Dialer;
import io.brokermeter.driver.wire.Wire;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionMemory;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Failure;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.Parameters;
import io.brokermeter.spi.parameter.ServerUrl;
import io.brokermeter.spi.parameter.StoreParameter;

/** The driver for Redis streams. */
public final class RedisDriver implements Driver {

    private static final int PORT = 6379;
    /** The longest text that Redis accepts before a login, in bytes. */
    private static final int LONGEST_LOGIN = 16_384;

    private final Set<String> lostMembers = ConcurrentHashMap.newKeySet();

    @Override
    public String protocol() {
        return "REDIS";
    }

    @Override
    public Set<String> schemes() {
        return Set.of("redis", "rediss");
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.of(Capability.TOPICS, Capability.DURABLE_SUBSCRIPTIONS, Capability.SHARED_SUBSCRIPTIONS,
            Capability.PREFETCH, Capability.HEADERS, Capability.BATCH_ACKNOWLEDGEMENT, Capability.CONFIRMATIONS,
            Capability.DEPTH, Capability.VARIANTS, Capability.ENVELOPE_PROPERTY, Capability.POLLING);
    }

    @Override
    public List<Parameter> parameters() {
        return TlsOptions.with(
            new Parameter("claim-after", "SECONDS", "30", "How long a message may stay unacknowledged before another consumer"
                + " of the group takes it over."),
            new Parameter("max-length", "N", "100000", "About how many messages a topic's stream keeps; the oldest go first."));
    }

    @Override
    public List<StoreParameter> stores() {
        return TlsOptions.STORES;
    }

    /** Returns true: the password is then that of the server's user {@code default}. */
    @Override
    public boolean takesPasswordAlone(ConnectionSettings settings) {
        return true;
    }

    @Override
    public String client() {
        return "brokermeter's own";
    }

    private ServerUrl url(ConnectionSettings settings) {
        ServerUrl url = ServerUrl.parse(settings.url(), schemes(), PORT);
        if (url.servers().size() > 1 || !url.path().isEmpty()) {
            throw new IllegalArgumentException("URL '" + url.address() + "' must name one server and nothing behind it, as in"
                + " redis://localhost:6379.");
        }
        return url;
    }

    @Override
    public void check(ConnectionSettings settings) {
        Parameters parameters = Parameters.of(this, url(settings), settings);
        String id = settings.clientId();
        if (id != null && (id.length() > LONGEST_LOGIN || id.chars().anyMatch(c -> c <= ' ' || c > '~'))) {
            throw new IllegalArgumentException("Redis cannot carry this client id: it must be of printable ASCII without blanks, and"
                + " not too long.");
        }
        var secret = settings.password();
        String user = settings.user() == null ? "" : settings.user();
        if (bytes(user) > LONGEST_LOGIN || secret != null && bytes(secret.reveal()) > LONGEST_LOGIN) {
            throw new IllegalArgumentException("Redis takes a user name and a password of at most " + LONGEST_LOGIN + " bytes each.");
        }
        parameters.number("claim-after", 1, 86_400);
        parameters.number("max-length", 1, Integer.MAX_VALUE);
        tls(url(settings), parameters);
    }

    private static Optional<TlsOptions> tls(ServerUrl url, Parameters parameters) {
        return TlsOptions.of(parameters, url.scheme().equals("rediss"), "the URL must begin with rediss://");
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    @Override
    public boolean takesSource(ConnectionSettings settings) {
        return true;
    }

    @Override
    public ConnectionMemory memory(ConnectionSettings settings) {
        return new ConnectionMemory(6 << 10, 14 << 10, 0, 3);
    }

    @Override
    public Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception {
        ServerUrl url = url(settings);
        Parameters parameters = Parameters.of(this, url, settings);
        TlsOptions tls = tls(url, parameters).orElse(null);
        String hint = tls == null ? "is it a Redis server without TLS? With TLS the URL begins with rediss://." : "is it a Redis server?";
        RedisConnection.Sockets sockets =
            () -> Dialer.dial(url.servers(), settings.source(), settings.connectTimeout(), tls, TlsNames.OWN, hint,
                (wire, server) -> new RedisSocket(wire, greet(wire, server, settings, tls != null), settings.connectTimeout()));
        RedisSocket socket = sockets.open().limited();
        try {
            return new RedisConnection(sockets, socket, settings, Duration.ofSeconds(parameters.number("claim-after", 1, 86_400)),
                parameters.number("max-length", 1, Integer.MAX_VALUE), lostMembers, listener);
        } catch (RedisError e) {
            socket.drop();
            throw refused(settings, url.server(), e);
        } catch (IOException e) {
            socket.drop();
            throw new DriverException("The connection to " + url.server() + " failed (" + Failure.words(e) + ").", e);
        }
    }

    /** Logs in, with all commands in one write. */
    private static RespReader greet(Wire wire, ServerUrl.Server server, ConnectionSettings settings, boolean tls) throws IOException {
        var password = settings.password();
        List<byte[]> logins = new ArrayList<>();
        if (settings.user() != null) {
            logins.add(RedisSocket.command("AUTH", settings.user(), password == null ? "" : password.reveal()));
        } else if (password != null) {
            logins.add(RedisSocket.command("AUTH", password.reveal()));
        }
        if (settings.clientId() != null) {
            logins.add(RedisSocket.command("CLIENT", "SETNAME", settings.clientId()));
        }
        var commands = new ByteArrayOutputStream();
        commands.writeBytes("PING\r\n".getBytes(StandardCharsets.US_ASCII));
        logins.forEach(commands::writeBytes);
        wire.write(ByteBuffer.wrap(commands.toByteArray()));
        RespReader in = new RespReader();
        in.fill(wire);
        byte first = in.buffer().get(0);
        if (first != '+' && first != '-') {
            throw new DriverException("What listens on " + server + " is no Redis server"
                + (tls ? "." : ", or speaks TLS; begin the URL with rediss:// for that."), null);
        }
        in.await(wire);
        if (in.isError() && (in.text().startsWith("DENIED") || in.text().startsWith("ERR max number of clients"))) {
            throw refused(server, in.text().replaceFirst("\\. .*", ""), in.error());
        }
        for (int i = 0; i < logins.size(); i++) {
            in.await(wire);
            if (in.isError()) {
                throw refused(settings, server, in.error());
            }
        }
        return in;
    }

    /**
     * Creates the exception for a refused connection. Errors of a login are reported without their text, which may tell which half of it
     * was right.
     */
    private static DriverException refused(ConnectionSettings settings, ServerUrl.Server server, RedisError e) {
        String words = String.valueOf(e.getMessage());
        if (words.startsWith("WRONGPASS") || words.startsWith("NOAUTH") || words.startsWith("ERR invalid password")
            || words.startsWith("ERR") && words.contains(" AUTH")) {
            String who = settings.user() == null ? "a connection without a user name" : "user '" + settings.user() + "'";
            return new DriverException("The broker refused " + who + " (" + words.replaceFirst(" .*", "") + "); check user and password.",
                e);
        }
        return refused(server, words, e);
    }

    private static DriverException refused(ServerUrl.Server server, String words, RedisError cause) {
        return new DriverException("Redis at " + server + " refuses the connection (" + words + ").", cause);
    }
}
