package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import com.sun.net.httpserver.HttpServer;
import io.brokermeter.cli.Tool.Finished;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The reported resource usage of a broker, and a run with many clients on that broker. */
@EnabledOnOs(OS.LINUX)
class ObservedRunTest {

    @RegisterExtension
    private static final SharedBroker SHARED = new SharedBroker(o -> o);

    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    @TempDir
    Path directory;

    @Test
    void aBrokerThatListensOnThisMachineIsFoundAndTold() throws Exception {
        Path json = directory.resolve("r.jsonl");
        Finished finished;
        try (Tool.Running running = new Tool(directory).start("client", "--url", SHARED.url(), "--rate", "100", "--max-pending", "100",
            "--json", json.toString(), "--show-broker", "--broker-jmx", "attach", "queue://observed")) {
            // On a busy machine it may take some time until the heap and the queues of the broker can be read.
            finished = running.awaitOut(", heap ").awaitOut(", depth ").awaitBlocks(4).signal("INT").await().exitsAtAnyRate(130);
        }
        assertThat(finished.out()).containsPattern("(?m)^--- broker:    cpu [0-9.]+ %, memory [0-9.]+ MiB \\([0-9.]+ %\\), threads ")
            .containsPattern("(?m)^--- broker: .*, heap [0-9.]+ of [0-9.]+ MiB, gc [0-9]+ \\([0-9]+ ms\\)")
            .containsPattern("(?m)^--- broker: .*, depth [0-9]+$")
            .containsPattern("(?m)^--- cpu per message: +[0-9.]+ us \\(and [0-9.]+ us of the broker\\)$")
            .containsPattern("(?m)^--- broker cpu: +[0-9.]+ % \\(max [0-9.]+ %\\)$")
            .containsPattern("(?m)^--- broker memory: +[0-9.]+ MiB \\([0-9.]+ % of the machine, max [0-9.]+ MiB\\)$");
        assertThat(finished.err()).doesNotContain("not known");
        assertThat(Files.readString(json)).contains("\"observed\":\"java (pid " + SHARED.get().broker.pid() + ")\"")
            .containsPattern("\"heapMaxBytes\":[1-9]").containsPattern("\"depthMaxMessages\":[0-9]");
    }

    @Test
    void theLiveOutputIsThatOfArtemisByDefault() throws Exception {
        Finished finished =
            PROGRAM.run("client", "--url", SHARED.url(), "--duration", "1", "--rate", "100", "--max-pending", "100", "queue://plain")
                .exitsWellAtAnyRate();
        assertThat(finished.out().substring(0, finished.out().indexOf("SUMMARY"))).contains("--- sent:").doesNotContain("broker:");
        assertThat(finished.out()).contains("--- broker cpu:");
    }

    /** One connection per producer, and half of the launcher's heap: a MiB or more for each would end the run without a summary. */
    @Test
    void hundredsOfProducersEndWithASummaryAndLoseNothing() throws Exception {
        Finished finished = new Tool(directory).run("client", "--url", SHARED.url(), "--producers", "300", "--consumers", "10", "--rate",
            "1000", "--message-count", "1000", "--max-pending", "10", "--drain-timeout", "60", "queue://crowd").exitsWellAtAnyRate();
        assertThat(finished.out()).containsOnlyOnce("--- SUMMARY");
        assertThat(finished.out() + finished.err()).doesNotContain("OutOfMemory");
        for (String total : new String[] {"total sent", "total completed", "total received"}) {
            assertThat(finished.total(total)).as(total).isEqualTo(1_000);
        }
        for (String none : new String[] {"failed", "unconfirmed", "lost", "duplicated"}) {
            assertThat(finished.total(none)).as(none).isZero();
        }
    }

    @Test
    void theLoginOfAnEndpointAppearsNowhere() throws Exception {
        HttpServer server = HttpServer.create(new java.net.InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            byte[] body = "process_resident_memory_bytes 1048576\nwaiting 3\n".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            Path json = directory.resolve("r.json");
            Finished finished;
            try (Tool.Running running = new Tool(directory).start("client", "--url", SHARED.url(), "--rate", "100", "--max-pending", "100",
                "--verbose", "--json", json.toString(), "--broker-metrics",
                "http://me:sesame@127.0.0.1:" + server.getAddress().getPort() + "/metrics", "--broker-metric", "waiting",
                "--broker-pid", Long.toString(SHARED.get().broker.pid()), "--broker-jmx", "none", "queue://endpoint")) {
                finished = running.awaitOut(", waiting 3").awaitBlocks(3).signal("INT").await().exitsAtAnyRate(130);
            }
            assertThat(finished.out()).contains(", waiting 3", "/metrics").doesNotContain("heap ");
            assertThat(finished.out() + finished.err() + Files.readString(json)).doesNotContain("sesame");
        } finally {
            server.stop(0);
        }
    }
}
