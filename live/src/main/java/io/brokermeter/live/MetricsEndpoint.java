package io.brokermeter.live;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.scenario.UsageException;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;

/** An HTTP endpoint from which Prometheus scrapes a run while it lasts, at {@code /metrics}, in whichever of its formats it asks for. */
public final class MetricsEndpoint implements RunObserver {

    private final RunMetrics metrics;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private MetricsEndpoint(RunMetrics metrics, HttpServer server) {
        this.metrics = metrics;
        this.server = server;
        server.setExecutor(threads);
        ExpositionFormats formats = ExpositionFormats.init();
        server.createContext("/metrics", exchange -> answer(exchange, formats));
        server.start();
    }

    /**
     * Opens the endpoint.
     *
     * @param place a port of this machine's loopback interface, or {@code ADDRESS:PORT}
     * @throws UsageException when it cannot be opened there
     */
    public static MetricsEndpoint open(String place, RunMetrics metrics) {
        InetSocketAddress address = ListenAddress.of(place, "--metrics", 1);
        try {
            return new MetricsEndpoint(metrics, HttpServer.create(address, 0));
        } catch (IOException e) {
            throw new UsageException("Metrics cannot be served at " + place + ": " + e.getMessage() + ".");
        }
    }

    private void answer(HttpExchange exchange, ExpositionFormats formats) throws IOException {
        try (exchange) {
            ExpositionFormatWriter writer = formats.findWriter(exchange.getRequestHeaders().getFirst("Accept"));
            exchange.getResponseHeaders().set("Content-Type", writer.getContentType());
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                writer.write(out, metrics.snapshots());
            }
        }
    }

    /** Ends the endpoint at once: who scrapes it less often than the run ends has not seen the last interval. */
    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }
}
