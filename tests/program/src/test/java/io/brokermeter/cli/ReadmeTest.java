package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.cli.Tool.Finished;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The commands of the README, as they stand there except that they take less time: a stranger's first ones. Their figures are not judged,
 * since tests run side by side; everything else of each must work.
 */
@Order(1)
class ReadmeTest extends ToolInDirectory {

    private static final Path ROOT = Path.of("..", "..");
    private static final String START = "./brokermeter ";

    /** What is added to the commands that take longer, or replaced in them, by the words that they begin with. */
    private static final Map<String, List<String>> SHORTER = new TreeMap<>(Map.of(
        "client", List.of("--warmup", "0.5", "--duration", "2"),
        // trials of minutes, each on a broker of its own
        "run", List.of("--dry-run"),
        // pairs of trials, on a version that would have to be fetched, for minutes
        "ab", List.of("--dry-run"),
        "failover", List.of("--rate", "100", "--warmup", "1", "--duration", "15", "--fault", "kill master at 4s"),
        "search", List.of("--trials", "8", "--warmup", "0.2", "--duration", "0.5", "--no-confirmation", "--time", "4s"),
        "window", List.of("--dry-run"),
        "replay", List.of()));

    static Stream<String> commands() throws Exception {
        return Files.readString(ROOT.resolve("README.md")).lines().map(String::strip).filter(line -> line.startsWith(START))
            .map(line -> line.substring(START.length()).replaceFirst(" +#.*", ""));
    }

    @Test
    void allKindsOfCommandsAreThere() throws Exception {
        assertThat(commands().map(line -> line.replaceFirst(" .*", "")).distinct()).containsExactlyInAnyOrderElementsOf(SHORTER.keySet());
    }

    @ParameterizedTest
    @MethodSource("commands")
    void worksAsItStandsThere(String line) throws Exception {
        List<String> words = new ArrayList<>(List.of(line.split(" +")));
        words.replaceAll(word -> word.startsWith("scenarios/") ? ROOT.resolve(word).toAbsolutePath().normalize().toString() : word);
        List<String> shorter = Objects.requireNonNull(SHORTER.get(words.getFirst()));
        for (int i = 0; i < shorter.size(); i++) {
            int there = words.indexOf(shorter.get(i));
            boolean valued = i + 1 < shorter.size() && !shorter.get(i + 1).startsWith("--");
            if (valued && there > 0 && !shorter.get(i).equals("--set")) {
                words.set(there + 1, shorter.get(i + 1));
            } else if (valued) {
                words.addAll(1, shorter.subList(i, i + 2));
            } else {
                words.add(1, shorter.get(i));
            }
            i += valued ? 1 : 0;
        }
        if (words.getFirst().equals("replay")) {
            tool().run("client", "--url", "loopback://x", "--message-count", "20").exits(0);
        }
        int url = words.indexOf("--url");
        try (Broker broker = url < 0 ? null
            : Broker.start(BrokerName.parse(words.get(url + 1).replaceFirst(":.*", "")), BrokerOptions.defaults().withHeap("300m"))) {
            if (broker != null) {
                words.set(url + 1, broker.url());
            }
            Finished finished = tool().run(words.toArray(String[]::new));
            if (words.getFirst().equals("client")) {
                finished.exitsWellAtAnyRate();
            } else if (words.getFirst().equals("search")) {
                // In a few seconds it learns something of the limit, and mostly not enough; on a busy machine nothing.
                assertThat(finished.out()).containsPattern("Limit (above|about|now|below) |Nothing is known of the limit");
                assertThat(finished.status()).as(finished.err()).isBetween(0, 1);
            } else if (words.getFirst().equals("failover")) {
                // Whether the rate was reached again in time depends on the machine.
                assertThat(finished.out()).contains("until a client noticed", "confirmed and lost ");
                assertThat(finished.status()).as(finished.err()).isIn(0, 1, 3);
            } else {
                finished.exitsWellAtAnyRate();
            }
        }
    }
}
