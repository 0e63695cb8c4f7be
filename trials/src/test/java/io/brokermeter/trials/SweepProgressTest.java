package io.brokermeter.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

import io.brokermeter.reports.StatusLine;
import org.junit.jupiter.api.Test;

class SweepProgressTest {

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private int width = 120;

    private SweepProgress progress() {
        return progress(StatusLine.REDRAWN);
    }

    private SweepProgress progress(StatusLine kind) {
        return new SweepProgress(new PrintStream(err, true, StandardCharsets.UTF_8), kind, () -> width, "7");
    }

    private String line() {
        String all = err.toString(StandardCharsets.UTF_8);
        return all.substring(all.lastIndexOf('\r') + 1).replace("\033[K", "");
    }

    @Test
    void theLineHasTheTimeLeftAndTheWidthThatTheTerminalHasJustNow() {
        SweepProgress progress = progress();
        progress.begin(3, "load.rate=5k", Duration.ofSeconds(30), Duration.ofMinutes(90));
        progress.doing("connecting");
        assertThat(line()).isEqualTo("trial 3 of 7 (load.rate=5k), 90 min left  connecting");
        progress.heard(Map.of("interval", Map.of("elapsedSeconds", 12.0, "warmup", false, "phase", "", "sentPerSecond", 5000.0,
            "receivedPerSecond", 4999.0, "failed", 0)));
        assertThat(line()).isEqualTo("trial 3 of 7 (load.rate=5k), 90 min left  12/30 s  5,000 sent/s  4,999 received/s");
        width = 40;
        progress.doing("ending its broker");
        assertThat(line()).isEqualTo("trial 3 of 7 (load.rate=5k), 90 min lef");
    }

    @Test
    void whatIsNotKnownIsNotSaid() {
        SweepProgress progress = progress();
        progress.begin(1, "", Duration.ZERO, null);
        progress.doing("connecting");
        assertThat(line()).isEqualTo("trial 1 of 7  connecting");
    }

    @Test
    void aTerminalThatCannotGoBackGetsALineNowAndThen() {
        try (SweepProgress progress = progress(StatusLine.REPEATED)) {
            progress.begin(1, "load.rate=5k", Duration.ZERO, Duration.ofMinutes(90));
            progress.doing("connecting");
            progress.doing("ending its broker");
        }
        assertThat(err.toString(StandardCharsets.UTF_8))
            .isEqualTo("trial 1 of 7 (load.rate=5k), 90 min left  connecting" + System.lineSeparator());
    }

    @Test
    void whereNobodyWatchesNothingIsSaid() {
        try (SweepProgress progress = progress(StatusLine.NONE)) {
            progress.begin(1, "", Duration.ZERO, null);
            progress.doing("connecting");
        }
        assertThat(err.size()).isZero();
    }
}
