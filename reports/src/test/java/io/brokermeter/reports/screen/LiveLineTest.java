package io.brokermeter.reports.screen;

import static org.assertj.core.api.Assertions.assertThat;

import io.brokermeter.reports.Samples;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LiveLineTest {

    private final LiveLine line = new LiveLine(Samples.CLIENT, new ScreenStyle(80, 24, false, true), true);

    private String after(int index, int messages) {
        return line.after(Samples.interval(index, false, 1000, Samples.ramp(messages, 1), Samples.empty()));
    }

    @ParameterizedTest
    @CsvSource({"1000, response p99 990 us", "999, response p90", "100, response p90", "99, response p50", "1, response p50 1.00 us",
        "0, response p99 n/a"})
    void theHighestPercentileWithEnoughSamplesIsShown(int messages, String shown) {
        assertThat(after(0, messages)).contains(shown);
    }

    /** The load lasts 20 s; its last interval ended late. */
    @Test
    void noMoreThanTheWholeIsOver() {
        assertThat(after(23, 100)).startsWith("20 s of 20 s");
    }

    @Test
    void theGraphIsOfOnePercentile() {
        after(0, 200);
        after(1, 400);
        assertThat(after(2, 800)).contains("response p90 72").endsWith("\u2582\u2584\u2588");
    }

    @Test
    void oneIntervalWithMoreMessagesDoesNotChangeThePercentile() {
        after(0, 900);
        after(1, 900);
        assertThat(after(2, 1100)).contains("response p90");
        assertThat(after(3, 1100)).contains("response p99");
    }

    @Test
    void theRateOfBytesIsLeftOutWhereThereIsNoRoomForIt() {
        assertThat(after(0, 100)).contains("7,316/s  7.49 MB/s");
        LiveLine narrow = new LiveLine(Samples.CLIENT, new ScreenStyle(62, 24, false, true), true);
        assertThat(narrow.after(Samples.interval(0, false, 1000, Samples.ramp(100, 1), Samples.empty()))).contains("7,316/s ")
            .doesNotContain("MB/s");
    }
}
