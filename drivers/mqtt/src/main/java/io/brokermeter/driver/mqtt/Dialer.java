package io.brokermeter.driver.mqtt;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

import io.brokermeter.driver.tls.Tls;
import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.driver.tls.TlsRefusal;
import io.brokermeter.spi.DriverException;
import io.brokermeter.spi.ServerUrl;

/** Opens wires, and says in one sentence why one cannot be opened. */
final class Dialer {

    private Dialer() {}

    /** Opens a wire to one server; bounded by {@code deadline}, as {@link System#nanoTime()}. */
    static Wire open(ServerUrl.Server server, MqttOptions options, Duration limit, long deadline) throws IOException {
        InetAddress[] addresses;
        try {
            addresses = InetAddress.getAllByName(server.host());
        } catch (UnknownHostException e) {
            throw new DriverException("Unknown host '" + server.host() + "'.", e);
        }
        IOException last = null;
        for (InetAddress address : addresses) {
            try {
                InetSocketAddress end = new InetSocketAddress(address, server.port());
                return options.tls().isPresent() ? tls(server, end, options.tls().get(), limit, deadline) : plain(end, deadline);
            } catch (SSLException | DriverException e) {
                throw e;
            } catch (IOException e) {
                last = e;
            }
        }
        throw failure(server, last, limit);
    }

    private static IOException failure(ServerUrl.Server server, @org.jspecify.annotations.Nullable IOException cause, Duration limit) {
        return switch (cause) {
            case ConnectException refused -> new DriverException("Nobody listens on " + server.host() + " port " + server.port() + ".", refused);
            case SocketTimeoutException late -> new DriverException(server.host() + " port " + server.port()
                + " did not answer within " + limit.toMillis() / 1e3 + " s.", late);
            case null -> new DriverException("Unknown host '" + server.host() + "'.", null);
            default -> new DriverException(server.host() + " port " + server.port() + " cannot be reached: "
                + cause.getMessage() + ".", cause);
        };
    }

    private static int left(long deadline) {
        return (int) Math.clamp(TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()), 1, Integer.MAX_VALUE);
    }

    private static Wire plain(InetSocketAddress end, long deadline) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.socket().connect(end, left(deadline));
            return new PlainWire(channel);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private static Wire tls(
            ServerUrl.Server server, InetSocketAddress end, TlsOptions options, Duration limit, long deadline)
            throws IOException {
        Tls tls = Tls.open(options);
        Socket plain = new Socket();
        try {
            plain.setTcpNoDelay(true);
            plain.connect(end, left(deadline));
            plain.setSoTimeout(left(deadline));
            SSLSocket socket = tls.over(plain, server.host(), server.port());
            plain.setSoTimeout(0);
            return new TlsWire(plain, socket);
        } catch (ConnectException e) {
            plain.close();
            throw e;
        } catch (SocketTimeoutException e) {
            plain.close();
            if (plain.isConnected()) {
                throw new DriverException("Something accepts connections on " + server + " but did not answer the TLS handshake within "
                    + limit.toMillis() / 1e3 + " s; does that port speak TLS?", e);
            }
            throw e;
        } catch (IOException e) {
            plain.close();
            throw refused(server, options, e);
        }
    }

    /** The sentence for what went wrong with TLS. */
    private static DriverException refused(ServerUrl.Server server, TlsOptions options, IOException e) {
        return new DriverException(
            TlsRefusal.sentence(server.toString(), TlsNames.OWN, options.keyStore().isPresent(), e).orElseGet(() ->
                server + " ended the connection during the TLS handshake (" + e.getMessage() + "); does that port speak TLS?"), e);
    }

    /**
     * Why a connection over TLS ended before the broker's first answer: one that refuses our certificate says so after the
     * handshake, and its words may get lost.
     *
     * @return the sentence, or {@code otherwise} when TLS was not the reason
     */
    static IOException explained(ServerUrl.Server server, MqttOptions options, Duration limit, IOException otherwise) {
        if (options.tls().isEmpty() || otherwise instanceof SocketTimeoutException) {
            return otherwise;
        }
        TlsOptions tls = options.tls().get();
        Optional<String> known = TlsRefusal.sentence(server.toString(), TlsNames.OWN, tls.keyStore().isPresent(), otherwise);
        if (known.isPresent()) {
            return new DriverException(known.get(), otherwise);
        }
        try {
            IOException again = Tls.open(tls).probe(server.host(), server.port(), limit);
            return again == null ? otherwise : refused(server, tls, again);
        } catch (DriverException e) {
            return e;
        }
    }
}
