package io.brokermeter.brokers.process;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A test of whether a broker that was just started serves its clients. */
@FunctionalInterface
public interface Probe {

    String LOOPBACK = "127.0.0.1";

    /**
     * Tests once; the caller repeats this until it succeeds. Returns within about a second.
     *
     * @throws IOException when nothing listens, which means the same as {@code false}
     */
    boolean succeeds() throws IOException;

    /** Returns a probe that succeeds when both probes succeed. */
    default Probe and(Probe other) {
        return () -> succeeds() && other.succeeds();
    }

    /** Returns a probe that succeeds when a program listens on a port of the loopback interface. */
    static Probe accepts(int port) {
        return accepts(LOOPBACK, port);
    }

    /** Returns a probe that succeeds when a program listens on a port of an address. */
    static Probe accepts(String host, int port) {
        return answers(host, port, new byte[0], new byte[0]);
    }

    /** Returns {@link #answers(String, int, byte[], byte[])} for the loopback interface, with texts in ISO 8859-1. */
    static Probe answers(int port, String request, String answer) {
        return answers(LOOPBACK, port, request, answer);
    }

    /** Returns {@link #answers(String, int, byte[], byte[])} with texts in ISO 8859-1. */
    static Probe answers(String host, int port, String request, String answer) {
        return answers(host, port, request.getBytes(StandardCharsets.ISO_8859_1), answer.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Returns {@link #answers(String, int, byte[], byte[])} for the loopback interface. */
    static Probe answers(int port, byte[] request, byte[] answer) {
        return answers(LOOPBACK, port, request, answer);
    }

    /**
     * Returns a probe that succeeds when the first bytes received from a port of an address equal an answer.
     *
     * @param request bytes to send first; empty for a protocol in which the server begins
     * @param answer the expected first bytes
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
