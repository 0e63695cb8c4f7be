package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

import io.brokermeter.cli.Tool.Running;
import org.junit.jupiter.api.Test;

/** A run that Prometheus scrapes. */
class MetricsTest extends ToolInDirectory {

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
                tool().run("client", "--url", "loopback://b", "--message-count", "1", "--out", "none", "--metrics", port, "queue://Q")
                    .exits(2).err())
                .contains("Metrics cannot be served at " + port);
            run.signal("INT").await().exitsAtAnyRate(130);
        }
    }
}
