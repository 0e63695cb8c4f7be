package io.brokermeter.contract.tls;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

import io.brokermeter.contract.Acceptor;
import org.jspecify.annotations.Nullable;

/** Terminates TLS on a port of the loopback interface, and forwards plain TCP to a server. */
public final class TlsFront implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 30_000;
    private static final int NOTHING_BEHIND = 0;

    private final Acceptor acceptor;
    private final SSLContext context;
    private final boolean wantsClients;
    private final int target;
    private final Duration untilReset;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    /**
     * Opens a front on any free port.
     *
     * @param clients the authority of the certificates that clients must present; null for none
     * @param target the port of the server
     */
    public TlsFront(CertificateAuthority.Identity identity, @Nullable CertificateAuthority clients, int target) throws Exception {
        this(identity, clients, target, 0, Duration.ZERO);
    }

    /**
     * Opens a front on a port, such as one that a broker advertises.
     *
     * @param port port, 0 for any free one
     */
    public TlsFront(CertificateAuthority.Identity identity, @Nullable CertificateAuthority clients, int target, int port) throws Exception {
        this(identity, clients, target, port, Duration.ZERO);
    }

    private TlsFront(
            CertificateAuthority.Identity identity, @Nullable CertificateAuthority clients, int target, int port,
            Duration untilReset) throws Exception {
        this.untilReset = untilReset;
        this.context = identity.context(clients);
        this.wantsClients = clients != null;
        this.target = target;
        this.acceptor = new Acceptor(port, this::accept);
    }

    public int port() {
        return acceptor.port();
    }

    /**
     * Opens a front without a server, which resets each connection after the handshake.
     *
     * @param after time from the handshake to the reset
     */
    static TlsFront resetting(CertificateAuthority.Identity identity, Duration after) throws Exception {
        return new TlsFront(identity, null, NOTHING_BEHIND, 0, after);
    }

    private void accept(Socket socket) {
        sockets.add(socket);
        Thread.ofPlatform().daemon().name("tls-front").start(() -> serve(socket));
    }

    private void serve(Socket plain) {
        try (plain) {
            plain.setTcpNoDelay(true);
            SSLSocket tls;
            try {
                tls = (SSLSocket) context.getSocketFactory().createSocket(plain, null, plain.getPort(), false);
                tls.setUseClientMode(false);
                tls.setNeedClientAuth(wantsClients);
                plain.setSoTimeout(PATIENCE_MILLIS);
                tls.startHandshake();
                plain.setSoTimeout(0);
            } catch (IOException e) {
                // closing a socket with unread data sends a reset, which may overtake the alert
                plain.shutdownOutput();
                plain.getInputStream().transferTo(OutputStream.nullOutputStream());
                return;
            }
            if (target == NOTHING_BEHIND) {
                Thread.sleep(untilReset);
                plain.setSoLinger(true, 0);
                return;
            }
            try (Socket behind = new Socket(InetAddress.getByName("127.0.0.1"), target)) {
                behind.setTcpNoDelay(true);
                sockets.add(behind);
                Thread back = Thread.ofPlatform().daemon().name("tls-front-back").start(() -> {
                    try {
                        pump(behind.getInputStream(), tls.getOutputStream());
                        tls.shutdownOutput();
                    } catch (IOException e) {
                        // one of the ends is gone, which the other thread notices below
                    } finally {
                        close(plain);
                    }
                });
                try {
                    pump(tls.getInputStream(), behind.getOutputStream());
                } finally {
                    close(behind);
                    back.join();
                    sockets.remove(behind);
                }
            }
        } catch (IOException | InterruptedException e) {
            // one of the ends is gone
        } finally {
            sockets.remove(plain);
        }
    }

    private static void pump(InputStream in, OutputStream out) throws IOException {
        byte[] bytes = new byte[16 * 1024];
        for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
            out.write(bytes, 0, count);
            out.flush();
        }
    }

    private static void close(Closeable end) {
        try {
            end.close();
        } catch (IOException e) {
            // closed nevertheless
        }
    }

    @Override
    public void close() {
        acceptor.close();
        sockets.forEach(TlsFront::close);
    }
}
