package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.brokermeter.cli.Tool.Finished;
import io.brokermeter.reports.document.JsonText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Searches whose trials run on agents, with a distance to a real broker. */
class FarSearchTest extends ToolInDirectory {

    @RegisterExtension
    private static final SharedBroker BROKER = new SharedBroker();

    /** One trial is enough to see that it runs where and how it should; the time of the search ends after it. */
    @Test
    void trialsRunOnAgentsOverANetwork() throws Exception {
        Path out = directory.resolve("search");
        Finished finished = tool().run("search", "--agents", "2", "--network", "rtt=20ms", "--url", BROKER.get().broker.urls().get("AMQP"),
            "--producers", "2", "--consumers", "2", "--warmup", "0", "--duration", "2", "--start", "50", "--time", "1s", "--out",
            out.toString(), "queue://far-search");
        assertThat(finished.out()).contains("The time is up after 1 trial.");
        Path trial;
        try (Stream<Path> trials = Files.list(out.resolve("trials"))) {
            trial = trials.sorted().findFirst().orElseThrow();
        }
        String result = Files.readString(trial.resolve("result.json"));
        assertThat(result).containsPattern("\"way\": ?\"(proxy|link)\"");
        assertThat(JsonText.number(JsonText.read(result), List.of("times", "send", "meanMicros"))).isGreaterThan(20_000);
        assertThat(result).contains("\"agents\":[{\"name\":");
        assertThat(tool().run("search", "--resume", out.toString(), "--dry-run").exits(0).out()).contains("0 of 1 trial left",
            "trials more, each chosen by what those before came to");
    }
}
