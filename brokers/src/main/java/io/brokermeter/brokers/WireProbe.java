package io.brokermeter.brokers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Connects to a port of the loopback interface, says something, and compares how the answer begins. */
final class WireProbe implements Probe {

    private static final int LIMIT_MILLIS = 1000;

    private final int port;
    private final byte[] request;
    private final byte[] answer;

    private WireProbe(int port, byte[] request, byte[] answer) {
        this.port = port;
        this.request = request;
        this.answer = answer;
    }

    /** Succeeds when something listens there. */
    static Probe accepts(int port) {
        return new WireProbe(port, new byte[0], new byte[0]);
    }

    /**
     * Succeeds when the server's first bytes are these.
     *
     * @param request what to say first; empty for a protocol in which the server speaks first
     */
    static Probe answers(int port, byte[] request, byte[] answer) {
        return new WireProbe(port, request.clone(), answer.clone());
    }

    /** The same with text of ISO 8859-1. */
    static Probe answers(int port, String request, String answer) {
        return new WireProbe(port, request.getBytes(StandardCharsets.ISO_8859_1),
            answer.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Override
    public boolean succeeds() throws IOException {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(LIMIT_MILLIS);
            socket.connect(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port), LIMIT_MILLIS);
            socket.getOutputStream().write(request);
            return Arrays.equals(socket.getInputStream().readNBytes(answer.length), answer);
        }
    }
}
