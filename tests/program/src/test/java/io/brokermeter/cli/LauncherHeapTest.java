package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.cli.Tool.Finished;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Loads that must fit into the heap that the launcher sets. */
class LauncherHeapTest {

    @TempDir
    Path directory;

    /** Guards against separate recorders for each pair: with 1.5 MiB each, 400 pairs would exhaust the heap. */
    @Test
    void tenThousandProducersAndConsumersRunAndLoseNothing() throws Exception {
        Finished finished;
        int tries = 0;
        do {
            finished = new Tool(directory).onJvm(launcherOptions())
                .run("client", "--protocol", "LOOPBACK", "--url", "loopback://crowd",
                    "--producers", "10000", "--consumers", "10000", "--max-pending", "100", "--rate", "20000", "--duration", "2",
                    "--drain-timeout",
                    "60", "--out", "none", "--silent")
                .exitsWellAtAnyRate();
            // A stall during all of its load leaves hardly any message.
        } while (finished.total("total sent") < 1_000 && ++tries < 3);
        assertThat(finished.out() + finished.err()).doesNotContain("OutOfMemory");
        // The achieved rate depends on the machine.
        assertThat(finished.total("total sent")).isBetween(1_000L, 40_000L);
        for (String total : new String[] {"total completed", "total received"}) {
            assertThat(finished.total(total)).as(total).isEqualTo(finished.total("total sent"));
        }
        for (String none : new String[] {"failed", "unconfirmed", "lost", "duplicated"}) {
            assertThat(finished.total(none)).as(none).isZero();
        }
    }

    /** Returns the options for the heap and the collector that the launcher sets by default. */
    private static List<String> launcherOptions() throws Exception {
        Matcher options = Pattern.compile("(?m)^default_args='([^']+)'$").matcher(Files.readString(Path.of("..", "..", "brokermeter")));
        assertThat(options.find()).isTrue();
        assertThat(options.group(1)).contains("-Xmx512m");
        return List.of(options.group(1).split(" "));
    }
}
