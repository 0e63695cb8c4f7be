package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.brokermeter.cli.Tool.Finished;
import io.brokermeter.cli.Tool.Running;
import io.brokermeter.reports.document.JsonText;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command selftest in a process of its own, with runs a tenth as long. What it measures is this machine's, so only what is known is asserted. */
class SelftestTest extends ToolInDirectory {

    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    private static final List<String> SHORT = List.of("-Dbrokermeter.selftest.scale=0.1");

    @Test
    void knownAnswersComeOutAndALaterRunSaysThatTheMachineIsWorse() throws Exception {
        Path json = directory.resolve("selftest.json");
        Finished finished = tool().onJvm(SHORT).run("selftest", "--json", json.toString());

        // 3 is what a machine that other tests keep busy deserves.
        assertThat(finished.status()).as(finished.out() + finished.err()).isIn(0, 3);
        assertThat(finished.out().lines()).filteredOn(line -> !line.startsWith("Kept in ")).allMatch(line -> line.length() <= 80);
        assertThat(finished.out().replaceAll("\\s+", " ")).contains("clock", "wakes at 10,000/s", "over LOOPBACK", "over TCP",
            "freeze oracle", "M/D/1", "M/M/1",
            "201 lost, 189 twice, 179 cut, known are 201, 189, 179");
        Map<String, @Nullable Object> result = JsonText.read(Files.readString(json));
        assertThat(result.get("exitCode")).isEqualTo((long) finished.status());
        assertThat(JsonText.maps(result.get("lines"))).hasSize(13).noneMatch(line -> "wrong".equals(line.get("grade")))
            .filteredOn(line -> "ledger".equals(line.get("name"))).singleElement()
            .satisfies(line -> assertThat(line).containsEntry("grade", "OK").containsEntry("lost", 201L));
        Path file;
        try (Stream<Path> kept = Files.list(tool().state().resolve("brokermeter/selftest"))) {
            file = kept.findFirst().orElseThrow();
        }
        assertThat(file).hasSameTextualContentAs(json);
        String[] run = {"client", "--url", "loopback://x?delay=1ms", "--message-count", "10", "queue://Q"};
        assertThat(tool().run(run).exits(0).err()).doesNotContain("self-test");

        // as if a reading of the clock had once taken no time
        String then = Files.readString(file);
        String other = then.replaceAll("(\"clockReadingNanos\": ?)[0-9.E-]+", "$10.001");
        assertThat(other).isNotEqualTo(then);
        Files.writeString(file, other);
        assertThat(tool().run(run).exits(0).err()).contains("this machine is worse than in its self-test of 20",
            "a reading of the clock takes");
    }

    @Test
    void interruptedItEndsCleanlyAndKeepsNothing() throws Exception {
        try (Running running = tool().onTerminal(30, 80, directory.resolve("screen")).start("selftest")) {
            Waiting.until(() -> Files.readString(directory.resolve("screen")).contains("left: waking"));
            running.type("\003");
            assertThat(running.await().status()).isEqualTo(130);
        }
        assertThat(tool().state().resolve("brokermeter/selftest")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "selftest queue://Q               | is not understood by",
        "selftest --json nosuch/x.json    | --json nosuch/x.json cannot be written: there is no directory",
        "selftest --rate 5                | --rate belongs to",
    })
    void whatItDoesNotTakeIsRefused(String line, String sentence) throws Exception {
        Finished finished = PROGRAM.run(line.strip().split(" +"));
        assertThat(finished.exits(2).err()).contains(sentence);
    }
}
