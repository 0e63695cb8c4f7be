package io.brokermeter.spi.failure;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.brokermeter.spi.parameter.ServerUrl;
import org.jspecify.annotations.Nullable;

/**
 * Finds the reason of a failure in words for the user, for drivers whose client library wraps the cause several times, or only logs it.
 */
public final class Failure {

    private static final int DEEPEST = 20;

    private Failure() {}

    /**
     * Connects a socket.
     *
     * @throws DriverException with one sentence that names the server, when the connection fails or takes longer than the limit
     */
    public static void connect(Socket socket, ServerUrl.Server server, Duration limit) throws DriverException {
        connect(socket, server, limit, limit);
    }

    private static void connect(Socket socket, ServerUrl.Server server, Duration limit, Duration tried) throws DriverException {
        try {
            socket.connect(new InetSocketAddress(server.host(), server.port()),
                (int) Math.clamp(limit.toMillis(), 1, Integer.MAX_VALUE));
        } catch (UnknownHostException e) {
            throw new DriverException("Unknown host '" + server.host() + "'.", e);
        } catch (ConnectException e) {
            throw new DriverException("Nobody listens on " + server.host() + " port " + server.port() + ".", e);
        } catch (IOException e) {
            throw new DriverException(server.host() + " port " + server.port() + " cannot be reached "
                + (e instanceof SocketTimeoutException ? "within " + tried.toMillis() / 1e3 + " s." : "(" + words(e) + ")."), e);
        }
    }

    /**
     * Tries to connect to servers in their order. Blocks.
     *
     * @param limit the longest that all attempts together may take
     * @return why no server accepts a connection, without a full stop; empty as soon as one does
     */
    public static Optional<String> unreachable(List<ServerUrl.Server> servers, Duration limit) {
        return unreachable(servers, limit, Duration.ZERO);
    }

    /**
     * Tries to connect to servers in their order, after an earlier attempt had no answer. Blocks.
     *
     * @param limit the longest that all attempts together may take
     * @param before duration of the earlier attempt; the reason for a server that does not answer states it where it is longer than
     *     this attempt
     * @return why no server accepts a connection, without a full stop; empty as soon as one does
     */
    public static Optional<String> unreachable(List<ServerUrl.Server> servers, Duration limit, Duration before) {
        String last = "";
        Duration each = limit.dividedBy(servers.size());
        for (ServerUrl.Server server : servers) {
            try (Socket socket = new Socket()) {
                connect(socket, server, each, before.compareTo(each) > 0 ? before : each);
                return Optional.empty();
            } catch (IOException e) {
                last = words(e);
            }
        }
        return Optional.of(servers.size() == 1 ? last : "No server of " + servers.size() + " can be reached; the last: " + last);
    }

    /** Returns the first throwable of this type among a failure and its causes; null when there is none. */
    public static <T extends Throwable> @Nullable T find(Throwable failure, Class<T> type) {
        Throwable at = failure;
        for (int depth = 0; at != null && depth < DEEPEST; depth++) {
            if (type.isInstance(at)) {
                return type.cast(at);
            }
            at = at.getCause();
        }
        return null;
    }

    /** Returns the root cause of a failure: the one that has no cause itself. */
    public static Throwable deepest(Throwable failure) {
        Throwable at = failure;
        for (int depth = 0; at.getCause() != null && depth < DEEPEST; depth++) {
            at = at.getCause();
        }
        return at;
    }

    /** Returns the message in one line without a full stop; the simple name of the class when there is no message. */
    public static String words(Throwable failure) {
        OutOfMemory.check(failure);
        String message = failure.getMessage();
        String words = message == null ? failure.getClass().getSimpleName() : message.strip().replaceAll("\\s*\\R\\s*", " ");
        return words.endsWith(".") ? words.substring(0, words.length() - 1) : words;
    }
}
