package io.brokermeter.driver.redis;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.brokermeter.driver.tls.Tls;
import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.driver.tls.TlsRefusal;
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
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** The driver for Redis streams over {@code jedis}. */
public final class RedisDriver implements Driver {

    private static final int PORT = 6379;
    /** The longest text that Redis accepts before a login, in bytes. */
    private static final int LONGEST_LOGIN = 16_384;
    /** The most characters of an error that are read. */
    private static final int LONGEST_ERROR = 2000;

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
        return "jedis" + clientVersion();
    }

    /** Returns the client's version. Its manifest does not contain it, but Maven's properties file in its jar does. */
    private static String clientVersion() {
        try (InputStream note = HostAndPort.class.getResourceAsStream("/META-INF/maven/redis.clients/jedis/pom.properties")) {
            if (note != null) {
                Properties properties = new Properties();
                properties.load(note);
                return " " + properties.getProperty("version", "");
            }
        } catch (IOException e) {
            // then the name goes without a version
        }
        return "";
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
    public ConnectionMemory memory(ConnectionSettings settings) {
        return new ConnectionMemory(46_000, 0, 2, 0);
    }

    @Override
    public Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception {
        ServerUrl url = url(settings);
        Parameters parameters = Parameters.of(this, url, settings);
        ServerUrl.Server server = url.server();
        Duration limit = settings.connectTimeout();
        Optional<TlsOptions> options = tls(url, parameters);
        Tls tls = options.isPresent() ? Tls.open(options.get()) : null;
        answers(server, limit, tls);
        int millis = (int) Math.clamp(limit.toMillis(), 1, Integer.MAX_VALUE);
        DefaultJedisClientConfig.Builder builder = DefaultJedisClientConfig.builder().protocol(RedisProtocol.RESP2)
            .connectionTimeoutMillis(millis).socketTimeoutMillis(millis);
        var password = settings.password();
        if (settings.user() != null) {
            builder.user(settings.user()).password(password == null ? "" : password.reveal());
        } else if (password != null) {
            builder.password(password.reveal());
        }
        if (settings.clientId() != null) {
            builder.clientName(settings.clientId());
        }
        JedisClientConfig client = builder.build();
        RedisConnection.Pipes pipes = () -> tls == null ? new PipelinedConnection(new HostAndPort(server.host(), server.port()), client)
            : new PipelinedConnection(new Sockets(server, tls, millis), client);
        PipelinedConnection pipe = null;
        try {
            pipe = pipes.open();
            return new RedisConnection(pipes, pipe, settings, Duration.ofSeconds(parameters.number("claim-after", 1, 86_400)),
                parameters.number("max-length", 1, Integer.MAX_VALUE), lostMembers, listener);
        } catch (JedisDataException e) {
            if (pipe != null) {
                pipe.drop();
            }
            throw refused(settings, server, e);
        } catch (JedisException e) {
            if (pipe != null) {
                pipe.drop();
            }
            throw new DriverException("The connection to " + server + " failed (" + e.getMessage() + ").", e);
        }
    }

    /**
     * Creates the exception for a refused connection. Errors of a login are reported without their text, which may tell which half of it
     * was right.
     */
    private static DriverException refused(ConnectionSettings settings, ServerUrl.Server server, JedisDataException e) {
        String words = String.valueOf(e.getMessage());
        if (words.startsWith("WRONGPASS") || words.startsWith("NOAUTH") || words.startsWith("ERR invalid password")
            || words.startsWith("ERR") && words.contains(" AUTH")) {
            String who = settings.user() == null ? "a connection without a user name" : "user '" + settings.user() + "'";
            return new DriverException("The broker refused " + who + " (" + words.replaceFirst(" .*", "") + "); check user and password.",
                e);
        }
        return refused(server, words, e);
    }

    private static DriverException refused(ServerUrl.Server server, String words, @Nullable Exception cause) {
        return new DriverException("Redis at " + server + " refuses the connection (" + words + ").", cause);
    }

    /** Checks that a Redis server answers, since the client does not report why it cannot connect. */
    private static void answers(ServerUrl.Server server, Duration limit, @Nullable Tls tls) throws DriverException {
        int millis = (int) Math.clamp(limit.toMillis(), 1, Integer.MAX_VALUE);
        boolean open = false;
        try (Socket plain = new Socket()) {
            Failure.connect(plain, server, limit);
            plain.setSoTimeout(millis);
            Socket socket = tls == null ? plain : tls.over(plain, server.host(), server.port());
            open = true;
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            int first = socket.getInputStream().read();
            if (first < 0 && tls != null) {
                throw new EOFException("no answer to PING");
            }
            if (first != '+' && first != '-') {
                throw new DriverException("What listens on " + server + " is no Redis server"
                    + (tls == null ? ", or speaks TLS; begin the URL with rediss:// for that." : "."), null);
            }
            String words = first == '-' ? line(socket.getInputStream()) : "";
            if (words.startsWith("DENIED") || words.startsWith("ERR max number of clients")) {
                // The server closes the connection after this, and what a client reads of another one is a matter of chance.
                throw refused(server, words.replaceFirst("\\. .*", ""), null);
            }
        } catch (SocketTimeoutException e) {
            throw new DriverException("Something accepts connections on " + server + " but did not answer "
                + (tls == null ? "" : "the TLS handshake ") + "within " + limit.toMillis() / 1e3 + " s"
                + (tls == null ? "." : "; does that port speak TLS?"), e);
        } catch (DriverException e) {
            throw e;
        } catch (IOException e) {
            throw failed(server, limit, tls, open, e);
        }
    }

    /** Reads the rest of a line, or as much as arrives. */
    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        int next = in.read();
        while (next >= 0 && next != '\r' && next != '\n' && line.length() < LONGEST_ERROR) {
            line.append((char) next);
            next = in.read();
        }
        return line.toString();
    }

    /**
     * Creates the exception for a failed connection. A server that refuses our certificate says so after the handshake, and its alert may
     * get lost, so the handshake is repeated.
     *
     * @param open whether the TLS handshake, if any, was complete
     */
    private static DriverException failed(ServerUrl.Server server, Duration limit, @Nullable Tls tls, boolean open, IOException e) {
        Optional<String> sentence = Optional.empty();
        if (tls != null) {
            boolean shown = tls.options().keyStore().isPresent();
            sentence = TlsRefusal.sentence(server.toString(), TlsNames.OWN, shown, e);
            IOException again = sentence.isPresent() ? null : tls.failure(server.host(), server.port(), limit);
            if (again != null) {
                sentence = TlsRefusal.sentence(server.toString(), TlsNames.OWN, shown, again);
            }
            if (sentence.isEmpty() && TlsRefusal.isEnd(e)) {
                sentence = Optional.of(open ? TlsRefusal.left(server.toString(), TlsNames.OWN, shown)
                    : TlsRefusal.unfinished(server.toString()));
            }
        }
        boolean reset = tls == null && String.valueOf(e.getMessage()).contains("reset");
        return new DriverException(sentence.orElse("The connection to " + server + " failed (" + e.getMessage() + ")"
            + (reset ? "; if that port speaks TLS, begin the URL with rediss://." : ".")), e);
    }
}
