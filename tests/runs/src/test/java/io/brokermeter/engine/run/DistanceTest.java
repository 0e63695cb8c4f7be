package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.measure.Metric;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Known answers for the windows and round trips of the loopback broker, by Little's law: a window is a rate times a round trip. */
class DistanceTest {

    private static final int SIZE = 1000;

    @ParameterizedTest
    @CsvSource({"producer-window=1,1", "producer-window=60,60", "producer-window-bytes=65536,65", "producer-window-bytes=999,1"})
    void aProducerHasItsWindowUnderWay(String window, int messages) throws Exception {
        RunResult r =
            LoopbackRun.of().size(SIZE).maxPending(1000).knobs("producer-rtt=20ms&" + window).warmup(200).duration(4200).execute();

        assertThat(r.meanSent()).isCloseTo(messages / 0.020, within(0.01 * messages / 0.020));
        assertThat(r.success()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"consumer-window=1,1", "consumer-window=60,60", "consumer-window-bytes=65536,65"})
    void aConsumerHasItsWindowUnderWay(String window, int messages) throws Exception {
        double rate = messages / 0.020;
        RunResult r = LoopbackRun.of().size(SIZE).rate(Long.toString(Math.round(2 * rate))).knobs("consumer-rtt=20ms&" + window).warmup(200)
            .duration(2200).drain(20_000).execute();

        // Twice as much was sent as the window permits, and all of it is delivered in the end.
        assertThat(r.received()).isEqualTo(r.sent());
        double beforeTheEnd = 2.0 * rate;
        assertThat((double) r.sent()).isGreaterThan(beforeTheEnd * 1.9);
        assertThat(of(r, Metric.TRANSFER).nanosAt(100)).isCloseTo(2_200_000_000L, within(150_000_000L));
    }

    @Test
    void aRoundTripWithoutAWindowCostsTimeAndNoRate() throws Exception {
        RunResult r = LoopbackRun.of().size(SIZE).rate("2000").maxPending(1000).knobs("producer-rtt=30ms&consumer-rtt=10ms").warmup(200)
            .duration(2200).execute();

        assertThat(r.meanSent()).isCloseTo(2000, within(20.0));
        assertThat(of(r, Metric.SEND).nanosAt(50)).isCloseTo(30_000_000, within(500_000L));
        assertThat(of(r, Metric.TRANSFER).nanosAt(50)).isCloseTo(20_000_000, within(500_000L));
        assertThat(r.received()).isEqualTo(r.sent());
    }

    /** All sends of the measured part were due in the warm-up, which must not hide how long their confirmations took. */
    @Test
    void aWindowThatTheRoundTripKeepsFullIsNotBlamedOnTheBroker() throws Exception {
        RunResult r = LoopbackRun.of().size(SIZE).rate("1000").maxPending(20).knobs("producer-rtt=100ms").roundTrip(100).warmup(1000)
            .duration(2200).execute();

        assertThat(r.health().verdict().reasons()).filteredOn(Finding.NotSentInTime.class::isInstance).singleElement()
            .satisfies(doubt -> {
                Finding.Reason reason = ((Finding.NotSentInTime) doubt).reason();
                assertThat(reason).matches(its -> LoopbackRun.blames(Finding.Blame.ROUND_TRIP, its));
                if (reason.blame() == Finding.Blame.ROUND_TRIP) {
                    assertThat(reason.roundTripMillis()).isEqualTo(100);
                }
            });
    }

    private static Distribution of(RunResult r, Metric metric) {
        Distribution d = r.measured().get(metric);
        assertThat(d).isNotNull();
        return d;
    }
}
