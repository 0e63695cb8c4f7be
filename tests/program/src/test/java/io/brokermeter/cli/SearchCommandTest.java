package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import io.brokermeter.cli.Tool.Finished;
import io.brokermeter.reports.document.JsonText;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command search over LOOPBACK, with a goal that a known rate decides. */
class SearchCommandTest extends ToolInDirectory {

    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    /** The number of attempts: on a machine that stands still in two trials one after the other, a search ends without an answer. */
    private static final int TRIES = 3;

    private static final double LIMIT = 300;

    @Test
    void theRateUpToWhichAGoalIsMetIsFoundAlsoAfterAnInterruption() throws Exception {
        Path json = directory.resolve("answer.json");
        Path out;
        Finished finished;
        int tries = 0;
        do {
            // With a delay beside which it is nothing that the sends of a busy machine are late, so that trials stay valid.
            out = directory.resolve("search" + tries);
            finished = PROGRAM.run("search", "--url", "loopback://x?delay=100ms", "--max-pending", "1000", "--goal", "sent.rate < 300/s",
                "--warmup", "0", "--duration", "0.3", "--trials", "9", "--time", "1s", "--out", out.toString(),
                "queue://Q");
            assertThat(finished.out()).contains("The time is up after ");
            finished = PROGRAM.run("search", "--resume", out.toString(), "--time", "5m", "--answer", json.toString());
        } while (finished.status() != 0 && ++tries < TRIES);

        assertThat(finished.exits(0).out()).contains("Clean up to ", "'sent.rate < 300/s' is missed first", "Below the limit:");
        Map<String, @Nullable Object> limit = JsonText.map(JsonText.read(Files.readString(json)).get("limit"));
        assertThat(number(limit, "low")).isLessThan(LIMIT);
        assertThat(number(limit, "high")).isGreaterThan(LIMIT);
        assertThat(JsonText.maps(JsonText.read(Files.readString(json)).get("confirmations"))).as("trials longer than --time leaves")
            .isEmpty();
        assertThat(out.resolve("limit.json")).hasSameTextualContentAs(json);
        assertThat(PROGRAM.run("run", "--resume", out.toString()).exits(2).err()).contains("was begun by search");
        assertThat(PROGRAM.run("compare", out.toString(), out.toString()).exits(0).out()).contains("limit is equal (ratio 1.000");
        assertThat(PROGRAM.run("watch", out.toString()).exits(0).out()).contains("limit");
        Path omb = directory.resolve("omb.json");
        PROGRAM.run("report", out.toString(), "--omb", omb.toString()).exits(0);
        assertThat(number(JsonText.read(Files.readString(omb)), "limitPublishRate")).isEqualTo(number(limit, "estimate"));
        Path page = directory.resolve("page.html");
        assertThat(PROGRAM.run("report", out.toString(), "--html", page.toString()).exits(0).out()).contains("Clean up to ");
        assertThat(page).content().contains("brokermeter search", "Clean up to ", "id=\"course\"", "id=\"belief\"",
            "id=\"times-over-load\"");
    }

    @Test
    void aLimitIsFoundAtEachOfSeveralValuesByAFileThatSaysSo() throws Exception {
        Path file = Files.writeString(directory.resolve("s.yaml"), """
            name: along
            url: loopback://x
            producers: {destinations: [queue://A]}
            consumers: {destinations: [queue://A]}
            thresholds: [sent.rate < 300/s]
            duration: 300ms
            search: {over: 'producers=1,4', from: 50, to: 5k, start: 200, trials: 8}
            """);
        Path out = directory.resolve("along");
        Finished finished = PROGRAM.run("run", file.toString(), "--out", out.toString());
        assertThat(finished.status()).isIn(0, 1); // a machine that stands still in two trials in a row leaves a limit open
        assertThat(finished.out()).contains("1 producers: Limit ", "4 producers: Limit ", "| producers |");
        Map<String, @Nullable Object> answer = JsonText.read(Files.readString(out.resolve("limit.json")));
        assertThat(JsonText.maps(answer.get("limits"))).extracting(one -> number(one, "value")).containsExactly(1.0, 4.0);
        Path page = directory.resolve("page.html");
        PROGRAM.run("report", out.toString(), "--html", page.toString()).exits(0);
        assertThat(page).content().contains("id=\"limits\"", "Limit over the number of producers");
    }

    private static double number(Map<String, @Nullable Object> values, String name) {
        return values.get(name) instanceof Number number ? number.doubleValue() : Double.NaN;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "search --url loopback://x --rate 500 queue://Q           | --rate contradicts the search",
        "search --url loopback://x --message-count 5 queue://Q    | --message-count contradicts the search",
        "search --url loopback://x --goal nosuch queue://Q        | Threshold 'nosuch'",
        "search --url loopback://x --over colour queue://Q        | 'colour' cannot be searched; there are rate, producers",
        "search --url loopback://x --over producers queue://Q     | 'producers' needs a rate",
        "search --url loopback://x --over producers=4,2 queue://Q | each greater than the one before it",
        "search --url loopback://x --over destinations --num-destinations 2 --rate 5 queue://Q | --num-destinations is what varies",
        "search --url loopback://x --from 5k --to 6k queue://Q    | 'to' must be at least twice 'from'",
        "search --url loopback://x --start 5 --from 10 queue://Q  | it must lie between 'from' and 'to'",
        "search --url loopback://x --trials 3 queue://Q           | it must be at least 8",
        "search --url loopback://x --goal sent.rate>=5k/s --to 3k queue://Q | contradicts the range: no rate from 10/s to 3000/s can meet it",
        "search nosuch.yaml                                       | Scenario file nosuch.yaml does not exist",
        "search --resume last                                     | There is no search",
    })
    void whatCannotBeSearchedIsRefused(String line, String sentence) throws Exception {
        Finished finished = PROGRAM.run(line.strip().replace("~", " ").split(" +"));
        assertThat(finished.exits(2).err()).contains(sentence);
    }
}
