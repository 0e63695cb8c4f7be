package io.brokermeter.cluster.group;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

import io.brokermeter.cluster.Cluster;
import io.brokermeter.cluster.Credential;
import org.jgroups.util.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * The one listening socket of a process. It is open as long as the {@link Cluster}, however often the process joins and leaves. JGroups
 * performs the TLS handshake on the thread that accepts, so one stranger who sends nothing would block all others; here each handshake has
 * a thread and a time limit of its own, and JGroups only gets the connections of members.
 */
public final class ListeningPort implements SocketFactory, AutoCloseable {

    private static final int BACKLOG = 256;
    private static final int MOST_HANDSHAKES = 64;
    private static final int SILENCE_MILLIS = 2_000;
    private static final Duration HANDSHAKE = Duration.ofSeconds(4);
    private static final Duration LOOK = Duration.ofMillis(100);
    private static final long AFTER_ERROR_MILLIS = 100;
    private static final Duration CLOSED = Duration.ofSeconds(5);

    private final @Nullable Credential credential;
    private final ServerSocket listening;
    private final BiConsumer<InetAddress, IOException> stranger;
    private final Semaphore handshakes = new Semaphore(MOST_HANDSHAKES);
    private final Thread accepting;
    private final Object lock = new Object();
    private @Nullable AcceptedSockets gate;

    /** @param stranger called by any thread with the address that was refused and the reason */
    public ListeningPort(@Nullable InetAddress bind, int port, @Nullable Credential credential,
            BiConsumer<InetAddress, IOException> stranger) throws IOException {
        this.credential = credential;
        this.stranger = stranger;
        listening = credential == null ? new ServerSocket() : secure(credential.context().getServerSocketFactory().createServerSocket());
        listening.setReuseAddress(true);
        try {
            listening.bind(new InetSocketAddress(bind, port), BACKLOG);
        } catch (IOException e) {
            listening.close();
            throw e;
        }
        accepting = Thread.ofVirtual().name("cluster door").start(this::accept);
    }

    private static ServerSocket secure(ServerSocket socket) {
        SSLParameters parameters = new SSLParameters();
        parameters.setProtocols(new String[] {"TLSv1.3"});
        parameters.setNeedClientAuth(true);
        ((SSLServerSocket) socket).setSSLParameters(parameters);
        return socket;
    }

    public int port() {
        return listening.getLocalPort();
    }

    private void accept() {
        while (!listening.isClosed()) {
            Socket socket;
            try {
                socket = listening.accept();
            } catch (IOException e) {
                if (!listening.isClosed()) {
                    rest();
                }
                continue;
            }
            if (!handshakes.tryAcquire()) {
                drop(socket);
                continue;
            }
            AtomicBoolean tooSlow = new AtomicBoolean();
            Thread greeting = Thread.ofVirtual().name("cluster handshake").start(() -> greet(socket, tooSlow));
            Thread.ofVirtual().name("cluster handshake limit").start(() -> limit(greeting, socket, tooSlow));
        }
    }

    /** Pauses after an error that may pass, such as a lack of file descriptors. */
    private static void rest() {
        try {
            Thread.sleep(AFTER_ERROR_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @param tooSlow whether the connection was closed because the handshake took too long */
    private void greet(Socket socket, AtomicBoolean tooSlow) {
        try {
            if (socket instanceof SSLSocket tls) {
                tls.setSoTimeout(SILENCE_MILLIS);
                tls.startHandshake();
                tls.setSoTimeout(0);
            }
            AcceptedSockets open;
            synchronized (lock) {
                open = gate;
            }
            if (open == null || !open.let(socket)) {
                drop(socket);
            }
        } catch (IOException e) {
            drop(socket);
            if (!listening.isClosed()) {
                stranger.accept(socket.getInetAddress(),
                    tooSlow.get() ? new SocketTimeoutException("no handshake within " + HANDSHAKE.toSeconds() + " s") : e);
            }
        } finally {
            handshakes.release();
        }
    }

    /** Closes a connection whose handshake is too slow. A standstill of this process, in which nobody could greet it, hardly counts. */
    private static void limit(Thread greeting, Socket socket, AtomicBoolean tooSlow) {
        try {
            for (Duration looked = Duration.ZERO; looked.compareTo(HANDSHAKE) < 0; looked = looked.plus(LOOK)) {
                if (greeting.join(LOOK)) {
                    return;
                }
            }
            tooSlow.set(true);
            drop(socket);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            drop(socket);
        }
    }

    @Override
    public Socket createSocket(String service) throws IOException {
        if (credential == null) {
            return new Socket();
        }
        SSLSocket socket = (SSLSocket) credential.context().getSocketFactory().createSocket();
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setProtocols(new String[] {"TLSv1.3"});
        socket.setSSLParameters(parameters);
        // a frozen peer accepts connections and sends nothing
        socket.setSoTimeout(SILENCE_MILLIS);
        socket.addHandshakeCompletedListener(done -> {
            try {
                socket.setSoTimeout(0);
            } catch (SocketException e) {
                // closed meanwhile
                drop(socket);
            }
        });
        return socket;
    }

    @Override
    public ServerSocket createServerSocket(String service) throws IOException {
        AcceptedSockets next = new AcceptedSockets(listening.getLocalPort());
        synchronized (lock) {
            gate = next;
        }
        return next;
    }

    /** Closes the listening socket; other processes may bind the port when this returns. Blocks for a moment, some seconds at most. */
    @Override
    public void close() {
        try {
            listening.close();
            // The system keeps the socket until the thread that accepts has left it.
            accepting.join(CLOSED);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void drop(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // it is not used any more in any case
            return;
        }
    }

    // Methods that JGroups' TCP does not call.

    @Override
    public Socket createSocket(String service, String host, int port) throws IOException {
        throw unused();
    }

    @Override
    public Socket createSocket(String service, InetAddress address, int port) throws IOException {
        throw unused();
    }

    @Override
    public Socket createSocket(String service, String host, int port, InetAddress local, int localPort) throws IOException {
        throw unused();
    }

    @Override
    public Socket createSocket(String service, InetAddress address, int port, InetAddress local, int localPort) throws IOException {
        throw unused();
    }

    @Override
    public ServerSocket createServerSocket(String service, int port) throws IOException {
        throw unused();
    }

    @Override
    public ServerSocket createServerSocket(String service, int port, int backlog) throws IOException {
        throw unused();
    }

    @Override
    public ServerSocket createServerSocket(String service, int port, int backlog, InetAddress bind) throws IOException {
        throw unused();
    }

    @Override
    public DatagramSocket createDatagramSocket(String service) throws SocketException {
        throw unused();
    }

    @Override
    public DatagramSocket createDatagramSocket(String service, SocketAddress bind) throws SocketException {
        throw unused();
    }

    @Override
    public DatagramSocket createDatagramSocket(String service, int port) throws SocketException {
        throw unused();
    }

    @Override
    public DatagramSocket createDatagramSocket(String service, int port, InetAddress local) throws SocketException {
        throw unused();
    }

    @Override
    public MulticastSocket createMulticastSocket(String service) throws IOException {
        throw unused();
    }

    @Override
    public MulticastSocket createMulticastSocket(String service, int port) throws IOException {
        throw unused();
    }

    @Override
    public MulticastSocket createMulticastSocket(String service, SocketAddress bind) throws IOException {
        throw unused();
    }

    @Override
    public void close(Socket socket) throws IOException {
        socket.close();
    }

    @Override
    public void close(ServerSocket socket) throws IOException {
        socket.close();
    }

    @Override
    public void close(DatagramSocket socket) {
        socket.close();
    }

    private static SocketException unused() {
        return new SocketException("a cluster opens no socket of this kind");
    }
}
