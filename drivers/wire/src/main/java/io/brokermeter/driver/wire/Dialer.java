package io.brokermeter.driver.wire;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.brokermeter.driver.tls.Tls;
import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.driver.tls.TlsRefusal;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Failure;
import io.brokermeter.spi.parameter.ServerUrl;
import org.jspecify.annotations.Nullable;

/**
 * Connects to one of several servers within a single deadline, which covers name resolution, every address of every server, the TLS
 * handshake and the first frames of the protocol; each server has an equal share of what is left of it. A failure is reported in one
 * sentence.
 *
 * @param <T> the result of the protocol's first frames
 */
public final class Dialer<T> {

    /** The shortest time for the second connection that finds out why TLS failed; it is granted even after the deadline. */
    private static final Duration LEAST_PROBE = Duration.ofSeconds(2);

    /** The stages of a connection attempt, in their order. */
    private enum Stage { RESOLVE, CONNECT, PRELUDE, HANDSHAKE, GREETING }

    /**
     * The exchange of a protocol's first frames.
     *
     * @param <T> the result of the exchange
     */
    public interface Greeting<T> {

        /**
         * Exchanges the first frames. Blocks; the wire is closed when the deadline passes.
         *
         * @throws DriverException if the broker refuses the connection; reported unchanged
         * @throws IOException on any other failure; the dialer words the sentence
         */
        T greet(Wire wire, ServerUrl.Server server) throws IOException;

        /**
         * Reads what the broker sends before TLS begins, and not a byte more. Blocks like {@link #greet}; called only with TLS.
         *
         * @param plain the connection without TLS
         * @return whether the protocol has such a prelude: then nothing is learned from a TLS handshake with the port itself
         */
        default boolean beforeTls(Wire plain, ServerUrl.Server server) throws IOException {
            return false;
        }
    }

    private final @Nullable String source;
    private final TlsNames names;
    private final String hint;
    private final Greeting<T> greeting;

    /** The longest time for the current server: its share of the time that was left, so that a silent one leaves some for the others. */
    private Duration limit;
    private long deadline;
    private Stage stage = Stage.RESOLVE;
    private boolean prelude;

    private Dialer(Duration limit, @Nullable String source, TlsNames names, String hint, Greeting<T> greeting) {
        this.limit = limit;
        this.source = source;
        this.names = names;
        this.hint = hint;
        this.greeting = greeting;
    }

    /**
     * Tries the servers in the given order until one of them is connected.
     *
     * @param source the address of this machine from which to connect, in numbers; null for that which the system chooses
     * @param limit the longest time for all attempts together
     * @param options options of TLS, or null for plain TCP
     * @param names names of the TLS parameters in error messages
     * @param hint what the user should check if the server closes the connection without an answer: {@code does that port speak STOMP?}
     * @throws DriverException the failure of the attempt that reached the latest stage, the first of them if several did
     */
    public static <T> T dial(
            List<ServerUrl.Server> servers, @Nullable String source, Duration limit, @Nullable TlsOptions options, TlsNames names,
            String hint, Greeting<T> greeting) throws DriverException {
        Dialer<T> dialer = new Dialer<>(limit, source, names, hint, greeting);
        long end = System.nanoTime() + limit.toNanos();
        Tls tls = options == null ? null : Tls.open(options);
        DriverException furthest = null;
        Stage reached = Stage.RESOLVE;
        for (int i = 0; i < servers.size(); i++) {
            long left = end - System.nanoTime();
            if (furthest != null && left <= 0) {
                break;
            }
            if (servers.size() > 1) {
                dialer.limit = Duration.ofMillis(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left / (servers.size() - i))));
            }
            dialer.deadline = System.nanoTime() + dialer.limit.toNanos();
            try {
                return dialer.dial(servers.get(i), tls);
            } catch (DriverException e) {
                if (furthest == null || dialer.stage.compareTo(reached) > 0) {
                    furthest = e;
                    reached = dialer.stage;
                }
            }
        }
        throw furthest != null ? furthest : new DriverException("The URL names no server.", null);
    }

    private long left() {
        return deadline - System.nanoTime();
    }

    private T dial(ServerUrl.Server server, @Nullable Tls tls) throws DriverException {
        stage = Stage.RESOLVE;
        SocketChannel channel = null;
        AtomicBoolean late = new AtomicBoolean();
        try {
            InetAddress[] addresses = addresses(server);
            stage = Stage.CONNECT;
            channel = connect(addresses, server.port());
            return greet(channel, server, tls, late);
        } catch (DriverException e) {
            close(channel);
            throw e;
        } catch (IOException e) {
            close(channel);
            throw failure(server, tls, e, late.get());
        } catch (RuntimeException e) {
            close(channel);
            throw new DriverException(server + " sent an answer that cannot be read (" + Failure.words(e) + ").", e);
        }
    }

    /** @param late is set when the time is over */
    private T greet(SocketChannel channel, ServerUrl.Server server, @Nullable Tls tls, AtomicBoolean late) throws IOException {
        ScheduledFuture<?> guard = Timer.after(left(), () -> {
            late.set(true);
            close(channel);
        });
        try {
            Wire wire;
            if (tls == null) {
                wire = Wire.over(channel);
            } else {
                stage = Stage.PRELUDE;
                prelude = greeting.beforeTls(Wire.over(channel), server);
                stage = Stage.HANDSHAKE;
                wire = Wire.over(channel, tls, server.host(), server.port());
            }
            stage = Stage.GREETING;
            T greeted = greeting.greet(wire, server);
            if (!guard.cancel(false)) {
                throw new SocketTimeoutException();
            }
            return greeted;
        } finally {
            guard.cancel(false);
        }
    }

    /**
     * Resolves the host name on a thread of its own, since the resolver may take longer than the deadline. It is a platform thread, because
     * a native call would pin the carrier of a virtual thread. A literal address needs no resolver.
     */
    private InetAddress[] addresses(ServerUrl.Server server) throws IOException {
        try {
            return new InetAddress[] {InetAddress.ofLiteral(server.host())};
        } catch (IllegalArgumentException e) {
            // not a literal address, so a name
        }
        FutureTask<InetAddress[]> lookup = new FutureTask<>(() -> InetAddress.getAllByName(server.host()));
        Thread.ofPlatform().daemon().name("resolve " + server.host()).start(lookup);
        try {
            return lookup.get(Math.max(1, left()), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
        } catch (TimeoutException e) {
            throw new DriverException(
                "The name '" + server.host() + "' could not be resolved within " + seconds() + " s.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DriverException("Connecting to " + server + " was interrupted.", e);
        }
    }

    private SocketChannel connect(InetAddress[] addresses, int port) throws IOException {
        IOException last = new SocketException("the host has no address");
        int attempts = addresses.length;
        for (InetAddress address : addresses) {
            SocketChannel channel = SocketChannel.open();
            try {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                if (source != null) {
                    channel.bind(new InetSocketAddress(InetAddress.ofLiteral(source), 0));
                }
                // an address that does not answer leaves time for the others
                channel.socket().connect(new InetSocketAddress(address, port),
                    (int) Math.clamp(TimeUnit.NANOSECONDS.toMillis(left() / attempts--), 1, Integer.MAX_VALUE));
                return channel;
            } catch (IOException e) {
                close(channel);
                last = e;
            }
        }
        throw last;
    }

    private static void close(@Nullable SocketChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            // closed all the same
        }
    }

    // ---- failures, each in one sentence

    private DriverException failure(ServerUrl.Server server, @Nullable Tls tls, IOException e, boolean late) {
        if (Thread.currentThread().isInterrupted()) {
            return new DriverException("Connecting to " + server + " was interrupted.", e);
        }
        if (late || e instanceof SocketTimeoutException) {
            return new DriverException(switch (stage) {
                case RESOLVE, CONNECT -> server + " did not answer within " + seconds() + " s.";
                case HANDSHAKE -> "Something accepts connections on " + server + " but did not answer the TLS handshake within "
                    + seconds() + " s; does that port speak TLS?";
                case PRELUDE, GREETING -> "Something accepts connections on " + server + " but did not answer within " + seconds()
                    + " s; " + hint;
            }, e);
        }
        return new DriverException(switch (stage) {
            case RESOLVE -> e instanceof UnknownHostException ? "Unknown host '" + server.host() + "'."
                : "The name '" + server.host() + "' could not be resolved (" + Failure.words(e) + ").";
            case CONNECT -> Failure.words(e).toLowerCase(Locale.ROOT).contains("refused")
                ? "Nobody listens on " + server.host() + " port " + server.port() + "."
                : server + " cannot be reached (" + Failure.words(e) + ").";
            case PRELUDE,
                HANDSHAKE,
                GREETING ->
                (tls == null || stage == Stage.PRELUDE ? Optional.<String>empty() : refusal(server, tls, stage, e))
                    .orElseGet(() -> stage == Stage.HANDSHAKE
                        ? TlsRefusal.unfinished(server.toString())
                        : TlsRefusal.isEnd(e)
                            ? "Something on " + server + " closed the connection without an answer; " + hint
                            : "The connection to " + server + " failed (" + Failure.words(e) + ").");
        }, e);
    }

    /**
     * Finds out whether TLS was refused and why. A broker that refuses the client's certificate says so after the handshake, and its alert
     * may get lost; therefore a second connection provokes the alert again.
     */
    private Optional<String> refusal(ServerUrl.Server server, Tls tls, Stage stage, IOException e) {
        boolean shown = tls.options().keyStore().isPresent();
        Optional<String> sentence = TlsRefusal.sentence(server.toString(), names, shown, e);
        if (sentence.isPresent()) {
            return sentence;
        }
        Duration rest = Duration.ofNanos(left());
        IOException again =
            prelude ? null : tls.failure(server.host(), server.port(), rest.compareTo(LEAST_PROBE) < 0 ? LEAST_PROBE : rest);
        // A busy server may take too long to refuse the second connection, or reset that before it is made.
        return Optional.ofNullable(again).flatMap(failure -> TlsRefusal.sentence(server.toString(), names, shown, failure))
            .or(() -> stage == Stage.GREETING && TlsRefusal.isEnd(e) ? Optional.of(TlsRefusal.left(server.toString(), names, shown))
                : Optional.empty());
    }

    private String seconds() {
        // a share has odd milliseconds
        return Double.toString(limit.toMillis() < 1000 ? limit.toMillis() / 1e3 : Math.round(limit.toMillis() / 1e2) / 1e1);
    }
}
