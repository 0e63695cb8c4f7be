package io.brokermeter.cluster.clock;

import java.io.Closeable;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * A relay in front of a server, UDP and TCP on one port. It delays UDP packets, each direction separately, or drops them, and may close
 * each new TCP connection.
 */
final class ImpairingRelay implements Closeable {

    private final InetSocketAddress server;
    private final ServerSocket listener;
    private final DatagramSocket front;
    private final DatagramSocket back;
    private final ScheduledExecutorService late = Executors.newScheduledThreadPool(2, Thread.ofPlatform().daemon().factory());
    private volatile @Nullable SocketAddress client;
    volatile boolean udp = true;
    volatile boolean tcp = true;
    volatile long outMicros;
    volatile long backMicros;
    volatile long jitterMicros;
    volatile @Nullable Socket last;

    ImpairingRelay(InetSocketAddress server) throws IOException {
        this.server = server;
        InetAddress loopback = InetAddress.getLoopbackAddress();
        listener = new ServerSocket(0, 50, loopback);
        front = new DatagramSocket(listener.getLocalPort(), loopback);
        back = new DatagramSocket(0, loopback);
        back.connect(server);
        Thread.ofPlatform().daemon().start(() -> pass(front, true));
        Thread.ofPlatform().daemon().start(() -> pass(back, false));
        Thread.ofPlatform().daemon().start(this::accept);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    private void pass(DatagramSocket from, boolean out) {
        Random random = new Random(out ? 1 : 2);
        byte[] room = new byte[100];
        while (true) {
            try {
                DatagramPacket packet = new DatagramPacket(room, room.length);
                from.receive(packet);
                byte[] bytes = Arrays.copyOf(packet.getData(), packet.getLength());
                if (out) {
                    client = packet.getSocketAddress();
                }
                if (udp) {
                    long micros = (out ? outMicros : backMicros) + (jitterMicros == 0 ? 0 : random.nextLong(jitterMicros));
                    late.schedule(() -> send(bytes, out), micros, TimeUnit.MICROSECONDS);
                }
            } catch (IOException e) {
                return;
            }
        }
    }

    private void send(byte[] bytes, boolean out) {
        SocketAddress to = out ? server : client;
        try {
            (out ? back : front).send(new DatagramPacket(bytes, bytes.length, to));
        } catch (IOException e) {
            // The relay is closed.
        }
    }

    private void accept() {
        while (true) {
            try {
                Socket socket = listener.accept();
                if (!tcp) {
                    socket.close();
                    continue;
                }
                Socket other = new Socket(server.getAddress(), server.getPort());
                socket.setTcpNoDelay(true);
                other.setTcpNoDelay(true);
                last = socket;
                Thread.ofVirtual().start(() -> pipe(socket, other));
                Thread.ofVirtual().start(() -> pipe(other, socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private static void pipe(Socket from, Socket to) {
        try (from; to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // One side is closed.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        front.close();
        back.close();
        late.shutdownNow();
        Socket socket = last;
        if (socket != null) {
            socket.close();
        }
    }
}
