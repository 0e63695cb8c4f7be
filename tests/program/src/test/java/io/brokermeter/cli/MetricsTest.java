package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.LinkedBlockingQueue;

import com.sun.net.httpserver.HttpServer;
import io.brokermeter.cli.Tool.Running;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Runs that Prometheus scrapes, and that push to OpenTelemetry. */
class MetricsTest extends ToolInDirectory {

    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    @Test
    void aRunIsScrapedUntilItEnds() throws Exception {
        String port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = String.valueOf(free.getLocalPort());
        }
        HttpRequest scrape = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics")).build();
        try (HttpClient client = HttpClient.newHttpClient();
                Running run =
                    tool().start("client", "--url", "loopback://a", "--rate", "100", "--duration", "300", "--out", "none", "--metrics",
                        port, "queue://Q")) {
            run.awaitBlocks(1);
            assertThat(client.send(scrape, HttpResponse.BodyHandlers.ofString()).body()).contains("brokermeter_run_info{name=\"client\"} 1")
                .containsPattern("brokermeter_messages_received_total [1-9]")
                .containsPattern("brokermeter_response_seconds_count\\{part=\"measured\"} [1-9]");
            assertThat(
                PROGRAM.run("client", "--url", "loopback://b", "--message-count", "1", "--out", "none", "--metrics", port, "queue://Q")
                    .exits(2).err())
                .contains("Metrics cannot be served at " + port);
            run.signal("INT").await().exitsAtAnyRate(130);
        }
    }

    @Test
    void aRunPushesUntilItEndsAndGoesOnWithoutAReceiver() throws Exception {
        LinkedBlockingQueue<String> bodies = new LinkedBlockingQueue<>();
        HttpServer receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/v1/metrics", exchange -> {
            try (exchange) {
                bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1));
                exchange.sendResponseHeaders(200, -1);
            }
        });
        receiver.start();
        String url = "http://127.0.0.1:" + receiver.getAddress().getPort();
        try {
            assertThat(PROGRAM.run("client", "--url", "loopback://a", "--message-count", "10", "--out", "none", "--otlp", url, "queue://Q")
                .exits(0).err()).doesNotContain("OTLP");
            assertThat(bodies).isNotEmpty().last().asString().contains("brokermeter.response", "messaging.client.operation.duration",
                "loopback", "service.name");
        } finally {
            receiver.stop(0);
        }
        assertThat(PROGRAM.run("client", "--url", "loopback://a", "--message-count", "10", "--out", "none", "--otlp", url, "queue://Q")
            .exits(0).err()).containsOnlyOnce("warning: Metrics do not get to " + url + "/v1/metrics by OTLP");
        PROGRAM.run("client", "--url", "loopback://a", "--message-count", "10", "--otlp", "localhost:4318", "queue://Q").exits(2)
            .saysOnly("'localhost:4318' is no URL for --otlp, like http://localhost:4318.");
    }
}
