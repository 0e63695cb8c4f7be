package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.brokermeter.cli.Tool.Finished;
import io.brokermeter.cli.Tool.Running;
import io.brokermeter.reports.document.JsonObject;
import io.brokermeter.reports.document.JsonText;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The command window with the loopback broker, which simulates a window and a distance. */
class WindowCommandTest extends ToolInDirectory {

    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    /** Returns the answer for the only side that was requested. */
    static Map<String, @Nullable Object> answer(Path file) throws IOException {
        List<JsonObject> answers = JsonText.maps(JsonText.read(Files.readString(file)).get("answers"));
        assertThat(answers).hasSize(1);
        return answers.getFirst();
    }

    /** The number of attempts if the answer is not the expected one: a stall of a second distorts the rates of a trial. */
    private static final int TRIES = 3;

    /** Returns whether the estimate of a window has the expected size. */
    private static boolean isBetween(double least, @Nullable Object window, double most) {
        return window instanceof Map<?, ?> named && named.get("estimate") instanceof Number estimate && estimate.doubleValue() >= least
            && estimate.doubleValue() <= most;
    }

    private static boolean says(Finished finished, String sentence) {
        return finished.status() == 0 && finished.out().contains(sentence);
    }

    @Test
    void theWindowOfAConsumerIsNamedAndAWiderOneTriedAlsoWhenItWasInterrupted() throws Exception {
        Path json = directory.resolve("answer.json");
        Path out;
        Finished finished;
        int tries = 0;
        do {
            out = directory.resolve("far" + tries);
            interrupted(out);
            finished = PROGRAM.run("window", "--resume", out.toString(), "--json", json.toString());
        } while (!(says(finished, "It is the broker's window, ") && !finished.out().contains("confirmed and not delivered")
            && "messages".equals(answer(json).get("limit")) && isBetween(12, answer(json).get("windowMessages"), 24))
            && ++tries < TRIES);

        assertThat(finished.exits(0).out())
            .contains("The consumer has at most ", "It is the broker's window, consumer-window (20): with 80 the rate over 100 ms is ")
            .doesNotContain("confirmed and not delivered");
        assertThat(out.resolve("window.md")).content().contains("| consumer-window = 80 |");
        assertThat(out.resolve("window.json")).hasSameTextualContentAs(json);
        Map<String, @Nullable Object> answer = answer(json);
        assertThat(answer).containsEntry("side", "consumer").containsEntry("limit", "messages");
        assertThat(((Number) JsonText.map(answer.get("windowMessages")).get("estimate")).doubleValue()).isBetween(12.0, 24.0);
        assertThat(PROGRAM.run("runs").exits(0).out()).doesNotContain("trial");
        Path page = directory.resolve("page.html");
        Finished shown = PROGRAM.run("report", out.toString(), "--html", page.toString()).exits(0);
        assertThat(shown.err()).doesNotContain("cut off");
        assertThat(shown.out()).contains("The consumer has at most ");
        assertThat(page).content().contains("brokermeter window", "the consumer has at most ", "consumer-window 20 → 80",
            "id=\"rate-consumer\"",
            "id=\"messages-consumer\"");
    }

    /** Where nobody listens, each further trial would fail in the same way. */
    @Test
    void noFurtherTrialBeginsWhenAllOfTheFirstFailed() throws Exception {
        Finished finished = PROGRAM.run("window", "--url", "loopback://nobody", "--side", "consumer", "--rtt", "20ms,50ms,100ms", "--sizes",
            "100,5000", "--out", "none", "topic://T").exits(1);
        assertThat(finished.out()).contains("All of the first 3 trials failed, so no more are made.").doesNotContain("trial 4 of");
    }

    /** Begins a search, interrupts it, and executes commands that must not continue it. */
    private void interrupted(Path out) throws Exception {
        try (Running running = tool().start("window", "--url", "loopback://x?consumer-window=20", "--side", "consumer", "--rtt",
            "20ms,100ms", "--sizes", "100,5000", "--scale", "0.2", "--set", "drainTimeout=1s", "--out", out.toString(), "topic://T")) {
            Finished cut = running.awaitOut("trial 2 of").signal("INT").await().exits(130);
            assertThat(cut.err()).contains("it goes on with: brokermeter window --resume " + out);
        }
        PROGRAM.run("run", "--resume", out.toString()).exits(2)
            .saysOnly("was begun by window; it goes on with: brokermeter window --resume ");
        PROGRAM.run("replay", out.toString()).exits(2)
            .saysOnly("was begun by window, which replay does not repeat: give window its options");
        PROGRAM.run("ab", "--resume", out.toString()).exits(2);
        PROGRAM.run("window", "--resume", out.toString(), "--side", "producer").exits(2).saysOnly("none of --broker, ");
        assertThat(out.resolve("sweep.json")).content().contains("loopback://x?consumer-window=20");
    }

    @Test
    void whatLimitsAmqpIsTriedWhereItIsKnown() throws Exception {
        List<String> amqp = List.of("window", "--broker", "artemis", "--protocol", "AMQP", "--dry-run", "queue://Q");
        assertThat(PROGRAM.run(words(amqp, "--side", "producer")).exits(0).out())
            .contains("broker artemis, acceptorConfigurations.all.extraParams.amqpCredits=4000");
        assertThat(PROGRAM.run(words(amqp, "--side", "consumer")).exits(0).out()).contains("consumer-change-1")
            .doesNotContain("consumer-change-2");
        assertThat(PROGRAM.run(words(amqp, "--side", "consumer", "--set", "consumers.properties.session-window=50")).exits(0).out())
            .contains("consumer-change-2").doesNotContain("consumer-change-3");
        assertThat(PROGRAM.run(words(amqp, "--side", "consumer", "--set", "consumers.properties.jms.prefetchPolicy.all=50")).exits(0).out())
            .contains("consumer-change-2").doesNotContain("consumer-change-3");
        PROGRAM.run(words(amqp, "--set", "consumers.properties.session-window=-5")).exits(2)
            .saysOnly("session-window=-5 must be a number of frames, or 0.");
    }

    private static String[] words(List<String> first, String... more) {
        return Stream.concat(first.stream(), Stream.of(more)).toArray(String[]::new);
    }

    @Test
    void mistakesAreToldBeforeAnythingStarts() throws Exception {
        String url = "loopback://x";
        PROGRAM.run("window", "--url", url, "--broker", "artemis").exits(2)
            .saysOnly("Give either --broker or --url, not both: one starts a broker");
        PROGRAM.run("window", "--broker", "artemiss").exits(2)
            .saysOnly("'artemiss' is not a broker that can be started here; did you mean 'artemis'?");
        PROGRAM.run("window", "--broker", "mosquitto", "--protocol", "CORE").exits(2).saysOnly("does not speak CORE");
        PROGRAM.run("window", "--url", url, "--side", "left").exits(2).saysOnly("--side 'left' is none of producer, consumer, both.");
        PROGRAM.run("window", "--url", url, "--rtt", "10ms").exits(2).saysOnly("--rtt needs at least two round trips");
        PROGRAM.run("window", "--url", url, "--rtt", "10ms,5ms").exits(2).saysOnly("--rtt must ascend: 5ms comes behind 10ms.");
        PROGRAM.run("window", "--url", url, "--rtt", "10ms,50s").exits(2).saysOnly("--rtt 50s must be from 100us to 2s.");
        PROGRAM.run("window", "--url", url, "--sizes", "10").exits(2).saysOnly("--sizes 10 must be from 28 B");
        PROGRAM.run("window", "--url", url, "--time", "20s").exits(2).saysOnly("--time 20s is too short");
        PROGRAM.run("window", "--url", url, "--set", "consumers.prefetchh=1").exits(2).saysOnly("did you mean");
        PROGRAM.run("window", "--url", url, "--scale", "0").exits(2).saysOnly("--scale 0.0 must be from 0.05 to 100.");
        assertThat(PROGRAM.run("window", "--url", "loopback://x?consumer-window=9", "--dry-run").exits(0).out())
            .contains("consumer-window=36&consumer-rtt=100ms", "Of the changes those are measured that fit what was found");
        assertThat(PROGRAM.state()).doesNotExist();
    }
}
