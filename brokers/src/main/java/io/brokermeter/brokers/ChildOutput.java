package io.brokermeter.brokers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.brokermeter.hosts.Ports;

/** Reads what a child process prints, to its end, so that it never blocks on a full pipe; keeps the last lines. */
final class ChildOutput {

    private static final int KEPT = 20;
    private static final String READY = "READY ";
    private static final String FAILED = "FAILED ";

    private final CompletableFuture<Ports> ready = new CompletableFuture<>();
    private final Deque<String> last = new ArrayDeque<>();

    private ChildOutput() { }

    /** Starts a daemon thread that reads until the stream ends. */
    static ChildOutput of(InputStream stream) {
        ChildOutput output = new ChildOutput();
        Thread.ofPlatform().name("broker-output").daemon().start(() -> output.read(stream));
        return output;
    }

    private void read(InputStream stream) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            String line;
            while ((line = lines.readLine()) != null) {
                accept(line);
            }
        } catch (IOException e) {
            // closing the process closes the stream
        }
        ready.completeExceptionally(new BrokerException("its process ended before it was ready."));
    }

    private void accept(String line) {
        if (line.startsWith(READY)) {
            ready.complete(Ports.parse(line.substring(READY.length())));
        } else if (line.startsWith(FAILED)) {
            ready.completeExceptionally(new BrokerException(line.substring(FAILED.length())));
        } else {
            keep(line);
        }
    }

    private synchronized void keep(String line) {
        if (last.size() == KEPT) {
            last.removeFirst();
        }
        last.addLast(line);
    }

    /** The ports, once the child says that it is ready; or the cause, once it says that or ends. */
    CompletableFuture<Ports> ready() {
        return ready;
    }

    /** The last lines besides those two, oldest first. */
    synchronized List<String> lastLines() {
        return List.copyOf(last);
    }
}
