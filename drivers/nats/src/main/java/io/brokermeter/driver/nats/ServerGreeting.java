package io.brokermeter.driver.nats;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import io.brokermeter.driver.tls.Tls;
import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.driver.tls.TlsRefusal;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Failure;
import io.brokermeter.spi.parameter.ServerUrl;
import org.jspecify.annotations.Nullable;

/**
 * The first exchange with a server, over a connection of its own, since the client does not report why it cannot connect. A server speaks
 * first, with a line {@code INFO {...}} that also tells its TLS requirements. TLS begins after that line, or before it.
 */
final class ServerGreeting {

    private static final int LONGEST = 1024 * 1024;
    private static final Pattern REQUIRES = Pattern.compile("\"tls_required\":\\s*true");
    private static final Pattern OFFERS = Pattern.compile("\"tls_(required|available)\":\\s*true");
    private static final Pattern VERIFIES = Pattern.compile("\"tls_verify\":\\s*true");

    private final ServerUrl.Server server;
    private final @Nullable Tls tls;
    private final boolean tlsFirst;
    private final Duration limit;
    private final long deadline;
    private boolean encrypted;

    /** @param limit time limit for the whole exchange */
    ServerGreeting(ServerUrl.Server server, @Nullable Tls tls, boolean tlsFirst, Duration limit) {
        this.server = server;
        this.tls = tls;
        this.tlsFirst = tlsFirst;
        this.limit = limit;
        this.deadline = System.nanoTime() + limit.toNanos();
    }

    /** @throws DriverException with the reason why no client can connect */
    void require() throws DriverException {
        try (Socket socket = new Socket()) {
            Failure.connect(socket, server, limit);
            if (tls == null || !tlsFirst) {
                afterTheLine(socket, tls);
            } else {
                socket.setSoTimeout(millis());
                line(socket, over(socket, tls).getInputStream());
            }
        } catch (SocketTimeoutException e) {
            throw new DriverException("Something accepts connections on " + server + " but did not answer "
                + (tlsFirst ? "the TLS handshake " : "") + "within " + limit.toMillis() / 1e3 + " s"
                + (tls == null ? "." : tlsFirst ? "; does that port speak TLS?" : "; does it want TLS first (tls-first=true)?"), e);
        } catch (DriverException e) {
            throw e;
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private void afterTheLine(Socket socket, @Nullable Tls encryption) throws IOException {
        String info = line(socket, socket.getInputStream());
        if (encryption == null) {
            if (REQUIRES.matcher(info).find()) {
                throw new DriverException("The NATS server at " + server + " wants TLS; begin the URL with tls://.", null);
            }
            return;
        }
        if (!OFFERS.matcher(info).find()) {
            throw new DriverException("The NATS server at " + server + " does not speak TLS; begin the URL with nats://.", null);
        }
        socket.setSoTimeout(millis());
        Socket above = over(socket, encryption);
        if (VERIFIES.matcher(info).find()) {
            // a server that refuses our certificate says so after the handshake, or does not answer
            above.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            if (above.getInputStream().read() < 0) {
                throw new EOFException("no answer to PING");
            }
        }
    }

    private Socket over(Socket socket, Tls encryption) throws IOException {
        Socket above = encryption.over(socket, server.host(), server.port());
        encrypted = true;
        return above;
    }

    /** Reads one line, and not a byte more: TLS may follow. */
    private String line(Socket socket, InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        while (line.length() < LONGEST) {
            socket.setSoTimeout(millis());
            int next = in.read();
            if (line.isEmpty() && next != 'I') {
                throw next < 0 && encrypted ? new EOFException("no greeting")
                    : new DriverException("What listens on " + server + " is no NATS server.", null);
            }
            if (next < 0 || next == '\n') {
                break;
            }
            line.append((char) next);
        }
        return line.toString();
    }

    private int millis() throws SocketTimeoutException {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
            throw new SocketTimeoutException();
        }
        return (int) Math.min(left, Integer.MAX_VALUE);
    }

    private DriverException failed(IOException e) {
        Tls encryption = tls;
        Optional<String> sentence = Optional.empty();
        if (encryption != null) {
            boolean shown = encryption.options().keyStore().isPresent();
            sentence = TlsRefusal.sentence(server.toString(), TlsNames.OWN, shown, e);
            if (sentence.isEmpty() && encrypted) {
                sentence = Optional.of(server + " ended the connection right after the TLS handshake"
                    + (shown ? "; does it trust the certificate in key-store?"
                        : "; if it wants a certificate of this side, name one with key-store."));
            }
        }
        return new DriverException(sentence.orElse("The connection to " + server + " failed (" + e.getMessage() + ")."), e);
    }
}
