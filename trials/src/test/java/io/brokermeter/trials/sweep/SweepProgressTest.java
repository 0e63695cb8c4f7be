package io.brokermeter.trials.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.reports.screen.StatusLine;
import org.junit.jupiter.api.Test;

class SweepProgressTest {

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private int width = 120;

    private SweepProgress progress() {
        return progress(StatusLine.REDRAWN);
    }

    private SweepProgress progress(StatusLine kind) {
        return new SweepProgress(new PrintStream(err, true, StandardCharsets.UTF_8), kind, () -> width, "7", true);
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
        progress.interval(interval(12, 5000, 4999, 0));
        assertThat(line()).isEqualTo("trial 3 of 7 (load.rate=5k), 90 min left  12/30 s  5,000 sent/s  4,999 received/s");
        width = 40;
        progress.doing("ending its broker");
        assertThat(line()).isEqualTo("trial 3 of 7 (load.rate=5k), 90 min lef");
    }

    /** Guards against a number of failed sends in the last second only, which would disappear in the next one. */
    @Test
    void failedSendsAreThoseOfTheTrialSoFar() {
        SweepProgress progress = progress();
        progress.begin(1, "", Duration.ofSeconds(30), null);
        progress.interval(failing(4));
        assertThat(line()).isEqualTo("trial 1 of 7  1/30 s  5 sent/s  4 received/s  4 failed");
        progress.interval(failing(3));
        while (!line().endsWith("7 failed")) {
            progress.interval(failing(0));
        }
        progress.begin(2, "", Duration.ofSeconds(30), null);
        progress.interval(failing(0));
        assertThat(line()).isEqualTo("trial 2 of 7  1/30 s  5 sent/s  4 received/s");
    }

    private static Interval failing(int failed) {
        return interval(1, 5, 4, failed);
    }

    /** Returns an interval of one second. */
    private static Interval interval(long elapsedSeconds, long sent, long received, long failed) {
        return Interval.of(its -> {
            its.endEpochNanos = 1_000_000_000;
            its.elapsedNanos = elapsedSeconds * 1_000_000_000;
            its.set(Count.SENT, sent);
            its.set(Count.RECEIVED, received);
            its.set(Count.FAILED, failed);
        });
    }

    @Test
    void aLongNameGivesWayToTheFigures() {
        SweepProgress progress = progress();
        width = 80;
        progress.begin(41, "orders, url=tcp://localhost:61616?producerWindowSize=1, repeat 21", Duration.ofSeconds(30),
            Duration.ofMinutes(90));
        progress.interval(interval(12, 5000, 4999, 0));
        assertThat(line()).isEqualTo("trial 41 of 7 (orders, u...), 90 min left  12/30 s  5,000 sent/s  4,999 receive");
        width = 100;
        progress.doing("connecting");
        assertThat(line()).isEqualTo("trial 41 of 7 (orders, url=tcp://localhost:61616?producerWindowSize=1,...), 90 min left  connecting")
            .hasSizeLessThan(100);
    }

    @Test
    void aNoticeThatEveryTrialGetsStandsThereOnce() {
        SweepProgress progress = progress(StatusLine.NONE);
        for (int i = 0; i < 3; i++) {
            progress.event(new Event(1, Event.Kind.NOTICE, new Finding.Said("the URL was completed.")));
            progress.event(new Event(1, Event.Kind.WARNING, new Finding.Said("the broker is gone.")));
        }
        assertThat(err.toString(StandardCharsets.UTF_8).lines()).hasSize(4).containsOnlyOnce("trial: the URL was completed.");
    }

    @Test
    void whatIsNotKnownIsNotSaid() {
        SweepProgress progress = progress();
        progress.begin(1, "", Duration.ZERO, null);
        progress.doing("connecting");
        assertThat(line()).isEqualTo("trial 1 of 7  connecting");
    }

    /** A stall of the machine may exceed the time between two lines, and then the second one is right; the test then tries again. */
    @Test
    void aTerminalThatCannotGoBackGetsALineNowAndThen() {
        long began;
        do {
            err.reset();
            began = System.nanoTime();
            try (SweepProgress progress = progress(StatusLine.REPEATED)) {
                progress.begin(1, "load.rate=5k", Duration.ZERO, Duration.ofMinutes(90));
                progress.doing("connecting");
                progress.doing("ending its broker");
            }
        } while (System.nanoTime() - began >= StatusLine.REPEAT_NANOS);
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
