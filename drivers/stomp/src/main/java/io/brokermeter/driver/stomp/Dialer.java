package io.brokermeter.driver.stomp;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

import io.brokermeter.driver.tls.Tls;
import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.driver.tls.TlsRefusal;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.DriverException;
import io.brokermeter.spi.Secret;
import io.brokermeter.spi.ServerUrl;
import org.jspecify.annotations.Nullable;

/** Makes a connection and says hello, within the connect timeout, or says in one sentence why that failed. */
final class Dialer {

    /** What brokers say to a wrong user or password. */
    private static final Pattern REFUSED =
        Pattern.compile("(?i)security|password|passcode|access refused|authenti|authoriz|\\blogin");
    private static final Pattern CLIENT_ID =
        Pattern.compile("(?i)client.?id.*(in use|already)|already connected|Client: .* connected");

    private final ConnectionSettings settings;
    private final StompSettings stomp;
    private final ServerUrl.Server server;
    private final long deadline;

    /**
     * A connection after the broker's answer.
     *
     * @param reader stands behind the CONNECTED frame
     * @param heartBeatOut milliseconds within which the broker wants to hear from us, 0 for never
     * @param heartBeatIn milliseconds within which the broker promised to be heard, 0 for never
     */
    record Dialed(
            Transport transport, FrameReader reader, Version version, @Nullable String serverName, Dialect dialect,
            int heartBeatOut, int heartBeatIn) {}

    private Dialer(ConnectionSettings settings, StompSettings stomp, ServerUrl.Server server, long deadline) {
        this.settings = settings;
        this.stomp = stomp;
        this.server = server;
        this.deadline = deadline;
    }

    /** Tries the servers in their order, and throws what the last one's failure was. */
    static Dialed dial(ConnectionSettings settings, StompSettings stomp) throws DriverException {
        long deadline = System.nanoTime() + settings.connectTimeout().toNanos();
        DriverException last = null;
        for (ServerUrl.Server server : stomp.url().servers()) {
            if (last != null && System.nanoTime() > deadline) {
                break;
            }
            try {
                return new Dialer(settings, stomp, server, deadline).dial();
            } catch (DriverException e) {
                last = e;
            }
        }
        throw last != null ? last : new DriverException("The URL names no server.", null);
    }

    private Dialed dial() throws DriverException {
        AtomicBoolean late = new AtomicBoolean();
        try {
            SocketChannel channel = channel();
            ScheduledFuture<?> guard = Timer.after(deadline - System.nanoTime(), () -> {
                late.set(true);
                close(channel);
            });
            try {
                Transport transport = stomp.tls() == null ? new PlainTransport(channel) : tls(channel, stomp.tls());
                Dialed dialed = hello(transport);
                if (!guard.cancel(false)) {
                    throw new SocketTimeoutException();
                }
                return dialed;
            } catch (IOException | RuntimeException e) {
                close(channel);
                throw e;
            } finally {
                guard.cancel(false);
            }
        } catch (DriverException e) {
            throw e;
        } catch (IOException e) {
            throw failure(e, late.get());
        }
    }

    // ---- the socket

    private SocketChannel channel() throws IOException {
        IOException last = null;
        for (InetAddress address : addresses()) {
            SocketChannel channel = SocketChannel.open();
            try {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                channel.socket().connect(
                    new InetSocketAddress(address, server.port()), (int) Math.clamp(left, 1, Integer.MAX_VALUE));
                return channel;
            } catch (IOException e) {
                close(channel);
                last = e;
            }
        }
        throw last != null ? last : new UnknownHostException(server.host());
    }

    /** A resolver may take longer than we may, so it gets a thread of its own. */
    private InetAddress[] addresses() throws IOException {
        FutureTask<InetAddress[]> lookup = new FutureTask<>(() -> InetAddress.getAllByName(server.host()));
        Thread.ofVirtual().start(lookup);
        try {
            return lookup.get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
        } catch (TimeoutException e) {
            throw new DriverException("The name '" + server.host() + "' could not be resolved within "
                + seconds() + " s.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DriverException("Connecting to " + server + " was interrupted.", e);
        }
    }

    /** TLS goes over the channel's own socket, whose streams may be used by a reader and a writer at the same time. */
    private Transport tls(SocketChannel channel, TlsOptions options) throws IOException {
        Socket raw = channel.socket();
        return new TlsTransport(raw, Tls.open(options).over(raw, server.host(), server.port()));
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // closed all the same
        }
    }

    // ---- the first frames

    private Dialed hello(Transport transport) throws IOException {
        transport.write(ByteBuffer.wrap(connect()));
        FrameReader reader = new FrameReader();
        try {
            while (!reader.next()) {
                reader.fill(transport);
            }
        } catch (EOFException e) {
            TlsOptions tls = stomp.tls();
            IOException again = tls == null ? null
                : Tls.open(tls).probe(server.host(), server.port(), settings.connectTimeout());
            if (tls != null && again != null) {
                throw refused(tls, again);
            }
            throw new DriverException("Something on " + server + " closed the connection without an answer to CONNECT; "
                + "does that port speak " + (stomp.tls() == null ? "STOMP without TLS?" : "STOMP?"), e);
        }
        if (reader.command() == FrameReader.Command.ERROR) {
            throw refused(BrokerError.text(reader, Version.V1_0));
        }
        if (reader.command() != FrameReader.Command.CONNECTED) {
            throw new DriverException("The broker answered CONNECT with a frame " + reader.command() + ".", null);
        }
        String number = reader.text(FrameReader.Header.VERSION);
        Version version = Version.of(number);
        if (version == null || stomp.version() != null && version != stomp.version()) {
            throw new DriverException("The broker speaks STOMP " + (number == null ? "1.0" : number)
                + ", which was not asked for; change the parameter version.", null);
        }
        String name = reader.text(FrameReader.Header.SERVER);
        int[] beats = heartBeats(reader.text(FrameReader.Header.HEART_BEAT));
        // newlines between frames were always allowed, and keep an idle connection of 1.0 alive as well
        int out = version == Version.V1_0 ? stomp.heartBeatOut() : agreed(stomp.heartBeatOut(), beats[1]);
        return new Dialed(transport, reader, version, name, stomp.dialect() == null ? Dialect.of(name) : stomp.dialect(),
            out, agreed(stomp.heartBeatIn(), beats[0]));
    }

    private static int agreed(int ours, int theirs) {
        return ours == 0 || theirs == 0 ? 0 : Math.max(ours, theirs);
    }

    private static int[] heartBeats(@Nullable String header) {
        if (header != null) {
            String[] parts = header.split(",", -1);
            try {
                if (parts.length == 2) {
                    return new int[] {Integer.parseInt(parts[0].strip()), Integer.parseInt(parts[1].strip())};
                }
            } catch (NumberFormatException e) {
                // as if it had not been there
            }
        }
        return new int[2];
    }

    private byte[] connect() {
        Frame frame = new Frame("CONNECT", Version.V1_0);
        if (stomp.version() != Version.V1_0) {
            frame.withPlain("accept-version", stomp.version() == null ? "1.0,1.1,1.2" : stomp.version().number());
            frame.withPlain("host", stomp.host());
            frame.withPlain("heart-beat", stomp.heartBeatOut() + "," + stomp.heartBeatIn());
        } else if (!stomp.host().equals("/")) {
            frame.withPlain("host", stomp.host());
        }
        String user = settings.user();
        if (user != null) {
            frame.withPlain("login", user);
        }
        Secret password = settings.password();
        if (password != null) {
            frame.withPlain("passcode", password.reveal());
        }
        String clientId = settings.clientId();
        if (clientId != null) {
            frame.withPlain("client-id", clientId);
        }
        return frame.whole();
    }

    // ---- what goes wrong

    private DriverException refused(String text) {
        if (CLIENT_ID.matcher(text).find()) {
            return new DriverException("The client id '" + settings.clientId()
                + "' is used by another connection; choose another --clientID (the broker says: " + text + ").", null);
        }
        if (REFUSED.matcher(text).find()) {
            String who = settings.user() == null ? "a connection without a user name" : "user '" + settings.user() + "'";
            return new DriverException("The broker refused " + who + "; check --user and --password (it says: "
                + hidden(text) + ").", null);
        }
        return new DriverException("The broker refused the connection: " + hidden(text) + "."
            + (stomp.version() == Version.V1_0 ? "" : " It was asked for the virtual host '" + stomp.host()
                + "', which the parameter host= changes."), null);
    }

    private String hidden(String text) {
        Secret password = settings.password();
        return password == null || password.reveal().isEmpty() ? text : text.replace(password.reveal(), "***");
    }

    private DriverException failure(IOException e, boolean late) {
        if (late || e instanceof SocketTimeoutException) {
            return new DriverException("Something accepts connections on " + server + " but did not answer "
                + (stomp.tls() == null ? "" : "the TLS handshake ") + "within " + seconds() + " s"
                + (stomp.tls() == null ? "." : "; does that port speak TLS?"), e);
        }
        if (e instanceof UnknownHostException) {
            return new DriverException("Unknown host '" + server.host() + "'.", e);
        }
        if (e instanceof ConnectException) {
            return new DriverException(
                text(e).toLowerCase(Locale.ROOT).contains("refused")
                    ? "Nobody listens on " + server.host() + " port " + server.port() + "."
                    : server + " cannot be reached (" + text(e) + ").", e);
        }
        TlsOptions tls = stomp.tls();
        if (tls != null) {
            return refused(tls, e);
        }
        return new DriverException("The connection to " + server + " failed (" + text(e) + ").", e);
    }

    /** A broker that refuses our certificate says so after the handshake, and its words may get lost. */
    private DriverException refused(TlsOptions options, IOException e) {
        boolean shown = options.keyStore().isPresent();
        Optional<String> sentence = TlsRefusal.sentence(server.toString(), TlsNames.OWN, shown, e);
        if (sentence.isEmpty()) {
            try {
                IOException again = Tls.open(options).probe(server.host(), server.port(), settings.connectTimeout());
                if (again != null) {
                    sentence = TlsRefusal.sentence(server.toString(), TlsNames.OWN, shown, again);
                }
            } catch (DriverException unusable) {
                return unusable;
            }
        }
        return new DriverException(sentence.orElseGet(() ->
            server + " ended the connection over TLS before it answered (" + text(e) + ")."), e);
    }

    private String seconds() {
        return Double.toString(settings.connectTimeout().toMillis() / 1e3);
    }

    private static String text(Throwable failure) {
        String message = failure.getMessage();
        String text = message == null ? failure.getClass().getSimpleName() : message.strip();
        return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
    }
}
