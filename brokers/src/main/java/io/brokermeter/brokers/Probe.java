package io.brokermeter.brokers;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Finds out whether a broker that was just started serves its clients. */
@FunctionalInterface
interface Probe {

    String LOOPBACK = "127.0.0.1";

    /**
     * Asks once; the caller repeats it until it succeeds. Returns within about a second.
     *
     * @throws IOException when nothing listens, which means the same as {@code false}
     */
    boolean succeeds() throws IOException;

    /** Succeeds when both do. */
    default Probe and(Probe other) {
        return () -> succeeds() && other.succeeds();
    }

    /** Succeeds when a program listens on that port of the loopback interface. */
    static Probe accepts(int port) {
        return accepts(LOOPBACK, port);
    }

    /** The same of another address. */
    static Probe accepts(String host, int port) {
        return answers(host, port, new byte[0], new byte[0]);
    }

    /** {@link #answers(String, int, byte[], byte[])} of the loopback interface, with text of ISO 8859-1. */
    static Probe answers(int port, String request, String answer) {
        return answers(LOOPBACK, port, request, answer);
    }

    /** The same of another address. */
    static Probe answers(String host, int port, String request, String answer) {
        return answers(host, port, request.getBytes(StandardCharsets.ISO_8859_1), answer.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** {@link #answers(String, int, byte[], byte[])} of the loopback interface. */
    static Probe answers(int port, byte[] request, byte[] answer) {
        return answers(LOOPBACK, port, request, answer);
    }

    /**
     * Succeeds when the first bytes from that port of an address are these.
     *
     * @param request what to send first; empty for a protocol in which the server begins
     */
    static Probe answers(String host, int port, byte[] request, byte[] answer) {
        return () -> {
            try (Socket socket = new Socket()) {
                socket.setSoTimeout(1000);
                socket.connect(new InetSocketAddress(host, port), 1000);
                socket.getOutputStream().write(request);
                return Arrays.equals(socket.getInputStream().readNBytes(answer.length), answer);
            }
        };
    }
}
