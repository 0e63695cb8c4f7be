package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program on a real terminal of a known size. */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
class TerminalTest {

    private static final int ROWS = 24;
    private static final int COLUMNS = 80;

    private static final String SWEEP = """
        name: widths
        url: loopback://widths
        producers: {destinations: [queue://A], load: {messages: 40}}
        consumers: {destinations: [queue://A]}
        sweep: {producers.message.size: [100B, 200B]}
        """;

    /** The first line of the summary; a busy machine may miss the rate, or delay the generator. */
    private static final String VERDICT = "(PASSED|RATE MISSED|INVALID).*";

    @TempDir
    Path directory;

    private Path shown() {
        return directory.resolve("shown.txt");
    }

    private Tool on(int columns) {
        return new Tool(directory).with("HOME", directory.toString()).onTerminal(ROWS, columns, shown());
    }

    private String written() throws IOException {
        return Files.readString(shown());
    }

    /** Returns the part that is printed at the end of a run, all of which must still be visible when the prompt appears below it. */
    private static List<String> summary(Screen screen) {
        List<String> lines = screen.lines();
        int first = 0;
        while (first < lines.size() && !lines.get(first).contains("1 producer, 1 consumer, queue://TEST, LOOPBACK")) {
            first++;
        }
        return lines.subList(first, lines.size());
    }

    @Test
    void theSummaryOfARunIsOneScreenAndTheLiveLineLeavesNoTrace() throws Exception {
        // A busy machine may draw only one line in several seconds.
        Pattern live = Pattern.compile("\r[1-5] s of 5 s  ");
        Tool.Finished finished;
        int tries = 0;
        do {
            try (Tool.Running running = on(COLUMNS).start("client", "--url", "loopback://x", "--rate", "200", "--duration", "5")) {
                finished = running.await();
            }
            // A stall for most of the run may fail it, or leave no line drawn.
        } while ((finished.status() != 0 || !live.matcher(written()).find()) && ++tries < 3);
        finished.exits(0);
        assertThat(written()).containsPattern(live);
        Screen screen = new Screen(COLUMNS, written());
        assertThat(screen.broken()).isEmpty();
        assertThat(screen.colours()).isPositive();
        assertThat(screen.lines()).noneMatch(line -> line.contains("s of 5 s"));
        assertThat(summary(screen)).hasSizeBetween(12, ROWS - 1).anyMatch(line -> line.matches(VERDICT))
            .anyMatch(line -> line.startsWith("response   ")).anyMatch(line -> line.matches("sent        [\\d,]+, \\d+/s of 200/s asked.*"))
            .anyMatch(line -> line.startsWith("ledger ")).anyMatch(line -> line.startsWith("files "))
            .last().asString().startsWith("next        brokermeter report last");

        try (Tool.Running running = on(40).with("NO_COLOR", "1").start("report", "last")) {
            running.await().exits(0);
        }
        Screen plain = new Screen(40, written());
        assertThat(plain.colours()).isZero();
        assertThat(plain.lines()).anyMatch(line -> line.matches(VERDICT));
    }

    @Test
    void controlCOnTheTerminalEndsARunWithItsSummary() throws Exception {
        // Without a rate: most of it would be missed if the signal came right after a stall, which fails the run.
        try (Tool.Running running = on(COLUMNS).start("client", "--url", "loopback://x", "--duration", "600")) {
            // The text shown so far may end within a character.
            while (!Pattern.compile("\r\\d+ s of ").matcher(Files.readString(shown(), StandardCharsets.ISO_8859_1)).find()) {
                Thread.sleep(20);
            }
            running.type("\003").await().exits(130);
        }
        assertThat(summary(new Screen(COLUMNS, written()))).hasSizeBetween(12, ROWS - 1)
            .anyMatch(line -> line.startsWith("- Ended by Ctrl-C after "));
    }

    @Test
    void tablesHaveTheColumnsThatFitTheTerminal() throws Exception {
        Path file = Files.writeString(directory.resolve("s.yaml"), SWEEP);
        String sweep = directory.resolve("sweep").toString();
        try (Tool.Running running = on(60).start("run", file.toString(), "--out", sweep)) {
            assertThat(running.await().status()).as("it may be invalid on a busy machine").isIn(0, 3);
        }
        assertThat(written()).contains("trial 1 of 2 (widths", "\033[K");
        List<String> narrow = new Screen(60, written()).lines();
        assertThat(narrow).anyMatch(line -> line.startsWith("Not shown for want of room: ")).anyMatch(line -> line.startsWith("100B  "));
        try (Tool.Running running = on(60).start("report", sweep)) {
            running.await().exits(0);
        }
        Screen again = new Screen(60, written());
        assertThat(again.broken()).isEmpty();
        assertThat(narrow)
            .containsAll(again.lines().stream().filter(line -> line.startsWith("100B  ") || line.startsWith("size ")).toList());
        try (Tool.Running running = on(250).start("report", sweep)) {
            running.await().exits(0);
        }
        Screen wide = new Screen(250, written());
        assertThat(wide.broken()).isEmpty();
        assertThat(wide.lines()).noneMatch(line -> line.startsWith("Not shown"))
            .anyMatch(line -> line.startsWith("100B  ") && line.length() > 60);
        try (Tool.Running running = on(60).start("report", sweep, "--columns", "received")) {
            running.await().exits(0);
        }
        assertThat(new Screen(60, written()).lines()).anyMatch(line -> line.contains("received/s")).noneMatch(line -> line.contains("p50"));
    }

    @Test
    void aTerminalThatCannotGoBackInALineGetsLines() throws Exception {
        Path file = Files.writeString(directory.resolve("s.yaml"), SWEEP);
        try (Tool.Running running = on(COLUMNS).with("TERM", "dumb").start("run", file.toString(), "--out", "none")) {
            assertThat(running.await().status()).as("it may be invalid on a busy machine").isIn(0, 3);
        }
        // the terminal itself ends lines with a carriage return
        assertThat(written().replace("\r\n", "\n")).contains("\ntrial 1 of 2 (widths").doesNotContain("\r", "\033");
    }
}
