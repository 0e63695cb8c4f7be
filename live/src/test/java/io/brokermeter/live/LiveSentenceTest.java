package io.brokermeter.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.RunShape;
import io.brokermeter.spi.parameter.Setting;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LiveSentenceTest {

    private static final RunShape SHAPE =
        new RunShape("", true, true, true, Duration.ofSeconds(300), 0, 0, 1000, "", Setting::key, false);

    /** Returns an interval of half a second that ends after a time, with 1,000 response times of 3 ms. */
    private static Interval interval(double seconds, long sent, long received, Consumer<Interval.Values> change) {
        Histogram samples = Distribution.empty();
        samples.recordValueWithCount(3_000_000, 1000);
        return Interval.of(its -> {
            its.endEpochNanos = 500_000_000;
            its.elapsedNanos = (long) (seconds * 1e9);
            its.counts = Counts.NONE.with(Count.SENT, sent).with(Count.RECEIVED, received);
            its.measured = Map.of(Metric.RESPONSE, new Distribution(samples, 0, 0));
            change.accept(its);
        });
    }

    @Test
    void aRunIsSaidInOneSentence() {
        assertThat(new LiveSentence(SHAPE).after(interval(48, 500, 498, its -> its.broker =
            new BrokerSample(1, new BrokerSample.Usage(62.5, -1, Double.NaN, -1, -1, -1, -1, -1, -1), BrokerSample.Heap.UNKNOWN, -1,
                Map.of(),
                List.of()))))
            .isEqualTo("1,000/s of 1,000/s, response p99 3.00 ms, broker 62.5 % of a core, nothing failed or duplicated, 4:12 left");
    }

    @Test
    void whatWentWrongStaysAndWhatFallsBehindIsSaid() {
        LiveSentence sentence = new LiveSentence(SHAPE);
        sentence.after(interval(1, 500, 500, its -> its.counts = its.counts.with(Count.FAILED, 1200)));
        assertThat(sentence.after(interval(2, 500, 400, its -> {
            its.counts = its.counts.with(Count.DUPLICATES, 1);
            its.phase = "burst";
        }))).isEqualTo("burst: 1,000/s of 1,000/s, received 800/s, response p99 3.00 ms, 1,200 failed, 1 duplicated, 4:58 left");
    }

    @Test
    void aChangedRateIsTheOneThatIsAskedFromItsMomentOn() {
        LiveSentence sentence = new LiveSentence(SHAPE);
        sentence.event(new Event(2_000_000_000L, Event.Kind.NOTICE, new Finding.RateSet(10, 1100)));
        assertThat(sentence.after(interval(2, 500, 500, _ -> {}))).startsWith("1,000/s of 1,000/s");
        assertThat(sentence.after(interval(3, 500, 500, _ -> {}))).startsWith("1,000/s of 1,100/s");
    }

    @Test
    void aRunWithoutALengthSaysHowFarItIs() {
        RunShape messages = new RunShape(false, true, false, Duration.ZERO, 2000);
        assertThat(new LiveSentence(messages).after(interval(3, 0, 1001, its -> its.measured = Map.of())))
            .isEqualTo("2,002/s, nothing failed or duplicated, 50 % of 2,000");
        RunShape open = new RunShape(true, false, false, Duration.ZERO, 0);
        assertThat(new LiveSentence(open).after(interval(3723, 1, 0, its -> {
            its.warmup = true;
            its.measured = Map.of();
        }))).isEqualTo("Warm-up: 2/s, nothing failed, 1:02:03 so far");
    }
}
