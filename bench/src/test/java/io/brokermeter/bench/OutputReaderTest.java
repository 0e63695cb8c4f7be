package io.brokermeter.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

import org.junit.jupiter.api.Test;

class OutputReaderTest {

    /** What PerfTest 2.22.1 printed with {@code --time 7}. */
    private static List<String> perfTest() throws IOException {
        try (InputStream in = Objects.requireNonNull(OutputReaderTest.class.getResourceAsStream("/perf-test.txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    /**
     * 29,429.4 messages from 2.073 to 7.013 s, and 50,396.8 of the whole run, of which its own average of 7022 a second is, with its end:
     * 7.177 s.
     */
    @Test
    void theRateOfPerfTestLeavesItsWarmUpOut() throws Exception {
        OutputReader.Outcome outcome = OutputReader.perfTest(2, 7).read(perfTest());
        assertThat(outcome.perSecond()).isCloseTo(29_429.4 / 4.94, within(0.1));
        assertThat(outcome.messages()).isCloseTo(50_396.8, within(0.1));
    }

    @Test
    void whatPerfTestReceivedAfterItsLastLineCountsAtThatRate() throws Exception {
        List<String> cut = perfTest().stream().filter(line -> !line.contains("time 7.013 s")).toList();
        OutputReader.Outcome outcome = OutputReader.perfTest(2, 7).read(cut);
        assertThat(outcome.perSecond()).isCloseTo(25_497.8 / 3.928, within(0.1));
        assertThat(outcome.messages()).isCloseTo(46_465.2 + 0.999 * 25_497.8 / 3.928, within(0.1));
    }

    @Test
    void aRunOfPerfTestWithoutTwoLinesAfterItsWarmUpHasNoRate() {
        assertThatThrownBy(() -> OutputReader.perfTest(7, 7).read(perfTest())).isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("later than 7.0 s").hasMessageContaining("receiving rate avg: 7022 msg/s");
        assertThatThrownBy(() -> OutputReader.perfTest(2, 7).read(List.of("nothing"))).isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("nothing");
    }
}
