package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.brokermeter.cli.Tool.Running;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A run on the whole screen of a real terminal. */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
class LiveTerminalTest extends ToolInDirectory {

    private static final String BEGIN = "\033[?1049h";
    private static final String END = "\033[?25h\033[?1049l";
    /** Says at the end whether the terminal is as it was. */
    private static final List<String> WATCHED =
        List.of("sh", "-c",
            "before=$(stty -g); trap '' INT; \"$@\"; status=$?; [ \"$before\" = \"$(stty -g)\" ] && echo as before; exit $status", "sh");

    private Path shown() {
        return directory.resolve("shown.txt");
    }

    private Tool terminal() {
        return tool().with("HOME", directory.toString()).onTerminal(24, 80, shown()).below(WATCHED);
    }

    private Running start(Tool tool) throws IOException {
        return tool.start("client", "--url", "loopback://x", "--rate", "200", "--interval", "200ms", "--duration", "600", "--live");
    }

    private void awaitShown(String text) throws Exception {
        while (!Files.readString(shown()).contains(text)) {
            Thread.sleep(20);
        }
    }

    private void givesBack() throws IOException {
        String all = Files.readString(shown());
        assertThat(all).contains(BEGIN, "so far", "ledger      sent ");
        assertThat(all.substring(all.lastIndexOf(END) + END.length())).as("below the picture").contains("nded by ", "as before")
            .doesNotContain(BEGIN);
    }

    @Test
    void aKeyEndsTheRun() throws Exception {
        try (Running run = start(terminal())) {
            awaitShown("nothing failed or duplicated");
            run.type(" ");
            awaitShown("The picture is held");
            run.type("q").await().exitsAtAnyRate(130);
            givesBack();
        }
    }

    @Test
    void controlCEndsTheRunAndGivesTheTerminalBack() throws Exception {
        try (Running run = start(terminal().with("NO_COLOR", "1"))) {
            awaitShown("nothing failed or duplicated");
            run.type("\003").await().exitsAtAnyRate(130);
            givesBack();
            assertThat(Files.readString(shown())).as("no colours").doesNotContain("\033[48;");
        }
    }

    @Test
    void aTerminalThatCannotBeDrawnOnIsRefused() throws Exception {
        try (Running run = start(terminal().with("TERM", "dumb"))) {
            run.await().exits(2);
        }
        assertThat(Files.readString(shown())).contains("--live needs a terminal").doesNotContain(BEGIN);
        tool().run("client", "--url", "loopback://x", "--live").exits(2).saysOnly("--live needs a terminal");
    }
}
