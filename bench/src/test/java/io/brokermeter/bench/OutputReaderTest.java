package io.brokermeter.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.junit.jupiter.api.Test;

class OutputReaderTest {

    /** Returns the output of PerfTest 2.22.1 with {@code --time 7}. */
    private static List<String> perfTest() throws IOException {
        return output("perf-test.txt");
    }

    private static List<String> output(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(OutputReaderTest.class.getResourceAsStream("/" + name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    /**
     * 29,429.4 messages from 2.073 to 7.013 s, and 50,396.8 in the whole run of 7.177 s, for which PerfTest prints an average of 7022 a
     * second.
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

    @Test
    void aRateIsReadWithAndWithoutItsInterval() {
        for (String interval : List.of("", " (+- 1,300)")) {
            OutputReader.Outcome outcome = OutputReader.steady().read(List.of("--- total received:         536355",
                "--- mean received:      26817.74 msg/sec" + interval));
            assertThat(outcome.perSecond()).isEqualTo(26_817.74);
            assertThat(outcome.messages()).isEqualTo(536_355);
        }
    }

    /** 400,000 messages in 4 s, which cost 1.5 us each, of a run of 5 s with 0.9 s of CPU. */
    @Test
    void startAndEndOfACountedRunStandApartFromItsMessages() {
        List<String> printed = List.of("--- total completed: 400000", "--- elapsed: 4.00 s", "--- cpu per message: 1.50 us (and 2.00 us of"
            + " the broker)");
        Map<String, Double> figures = new MeasuredRun.Measured(5, 0.9, 1.2, 3e6).figures(OutputReader.producer().read(printed), 0);

        assertThat(figures.get(PairedRuns.RATE)).isEqualTo(100_000);
        assertThat(figures.get(PairedRuns.CPU)).isCloseTo(2.25, within(1e-9));
        assertThat(figures.get("broker CPU per message, us")).isCloseTo(3, within(1e-9));
        assertThat(figures.get("client CPU of start and end, s")).isCloseTo(0.3, within(1e-9));
        assertThat(figures.get("start and end, s")).isCloseTo(1, within(1e-9));
    }

    @Test
    void aToolThatPrintsNothingHasTheRateOfItsWholeRun() {
        Map<String, Double> figures = new MeasuredRun.Measured(4, 0.4, 0.8, 3e6).figures(OutputReader.counted(400_000).read(List.of()), 0);

        assertThat(figures.get(PairedRuns.RATE)).isEqualTo(100_000);
        assertThat(figures.get("broker CPU per message, us")).isCloseTo(2, within(1e-9));
        assertThat(figures).doesNotContainKeys("start and end, s", "client CPU of start and end, s");
    }

    /**
     * Two outputs of 20 s with the same sends: 2,000 in the first second, 4,000 a second while the code is compiled, 6,000 in each of the
     * last nine whole seconds, the rest of a second, and a drain without sends.
     */
    @Test
    void bothSidesOfRocketMqAreReadOverTheLastNineSecondsOfSending() throws Exception {
        OutputReader.Outcome theirs = RocketMqArena.complete(output("rocketmq-producer.txt"));
        OutputReader.Outcome ours = OutputReader.lastSends(RocketMqArena.AVERAGED_SECONDS).read(output("rocketmq-ours.txt"));

        assertThat(theirs.perSecond()).isEqualTo(6_000);
        assertThat(ours.perSecond()).isEqualTo(6_000);
        assertThat(theirs.messages()).isEqualTo(99_000);
        assertThat(ours.messages()).isEqualTo(99_000);
    }

    /** Without a number of messages, RocketMQ's producer is terminated from outside, and its last line covers the same nine seconds. */
    @Test
    void bothSidesOfAsynchronousRocketMqAreReadOverTheLastNineSeconds() throws Exception {
        List<String> theirs = output("rocketmq-producer.txt").stream().filter(line -> !line.startsWith("[Complete]")).toList();
        List<String> ours = output("rocketmq-ours.txt");

        assertThat(RocketMqArena.current(theirs).perSecond())
            .isEqualTo(OutputReader.lastSends(RocketMqArena.AVERAGED_SECONDS).read(ours).perSecond());
    }

    /**
     * With snapshots of less than ten seconds, RocketMQ's producer averages from the end of the first second on: here 4,000 a second for
     * five seconds.
     */
    @Test
    void aShortRunIsReadFromTheEndOfItsFirstSecond() throws Exception {
        List<String> ours = output("rocketmq-ours.txt");
        List<String> seconds = ours.stream().filter(line -> line.startsWith("--- completed:")).limit(6).toList();
        List<String> cut = new ArrayList<>(seconds);
        cut.addAll(List.of("--- completed:      123 msg/sec", "--- completed:        0 msg/sec", "--- total completed: 22123"));

        assertThat(OutputReader.lastSends(RocketMqArena.AVERAGED_SECONDS).read(cut).perSecond()).isEqualTo(4_000);
        assertThatThrownBy(() -> OutputReader.lastSends(RocketMqArena.AVERAGED_SECONDS).read(cut.subList(5, 7)))
            .isInstanceOf(IllegalStateException.class).hasMessageContaining("no whole second of sending");
    }
}
