package io.brokermeter.trials.selftest;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The least that a broker can do, on a TCP port of the loopback interface: it speaks so much of MQTT 3.1.1 (OASIS, 2014) that a client
 * connects, subscribes and publishes with QoS 0, and writes each published packet as it came to all subscribers, on the thread that read
 * it. What a client measures against it, no broker on this machine can be below. Each connection has a daemon thread.
 */
final class EchoServer implements AutoCloseable {

    private static final byte[] ACCEPTED = {0x20, 2, 0, 0};
    private static final byte[] LIVES = {(byte) 0xd0, 0};

    /** The place of the topic filter's first letter in a SUBSCRIBE, whose filter is short. */
    private static final int FILTER = 6;

    private final ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final CopyOnWriteArrayList<OutputStream> subscribers = new CopyOnWriteArrayList<>();

    /** @throws IOException if there is no port */
    EchoServer() throws IOException {
        start(() -> {
            while (true) {
                Socket socket = server.accept();
                sockets.add(socket);
                socket.setTcpNoDelay(true);
                start(() -> serve(socket));
            }
        });
    }

    int port() {
        return server.getLocalPort();
    }

    private interface Serving {
        void run() throws IOException;
    }

    private static void start(Serving serving) {
        Thread.ofPlatform().daemon().name("brokermeter-echo").start(() -> {
            try {
                serving.run();
            } catch (IOException e) {
                // The client has gone, or the server was closed; the client's own run says what it lacks.
            }
        });
    }

    private void serve(Socket socket) throws IOException {
        OutputStream out = socket.getOutputStream();
        try (socket; DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16))) {
            for (byte[] packet = packet(in); packet.length > 0; packet = packet(in)) {
                switch (packet[0] >> 4 & 0xf) {
                    case 1 -> out.write(ACCEPTED);
                    case 3 -> {
                        for (OutputStream subscriber : subscribers) {
                            subscriber.write(packet);
                        }
                    }
                    case 8 -> {
                        // Topics of the broker itself, as for its version, begin with a dollar sign.
                        if (packet[FILTER] != '$') {
                            subscribers.addIfAbsent(out);
                        }
                        out.write(new byte[] {(byte) 0x90, 3, packet[2], packet[3], 0});
                    }
                    case 10 -> out.write(new byte[] {(byte) 0xb0, 2, packet[2], packet[3]});
                    case 12 -> out.write(LIVES);
                    default -> {
                        // Disconnecting, which the end of the stream follows.
                    }
                }
            }
        } finally {
            subscribers.remove(out);
        }
    }

    /** Returns the next packet with its header; an empty one at the end of the stream. */
    private static byte[] packet(DataInputStream in) throws IOException {
        int type = in.read();
        if (type < 0) {
            return new byte[0];
        }
        ByteArrayOutputStream packet = new ByteArrayOutputStream();
        packet.write(type);
        int length = 0;
        int digit = 0x80;
        for (int shift = 0; (digit & 0x80) != 0 && shift < 28; shift += 7) {
            digit = in.readUnsignedByte();
            packet.write(digit);
            length |= (digit & 0x7f) << shift;
        }
        packet.write(in.readNBytes(length));
        return packet.toByteArray();
    }

    @Override
    public void close() {
        try {
            server.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            // Nothing is left to be written.
        }
    }
}
