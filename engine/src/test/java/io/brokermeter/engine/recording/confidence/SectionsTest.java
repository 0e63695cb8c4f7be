package io.brokermeter.engine.recording.confidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sections of runs whose intervals are known; {@link SectionsCoverageTest} shows how often such intervals are right. */
class SectionsTest {

    private static final long SECOND = 1_000_000_000;

    /** Returns a run of sections, each of a second, whose samples are given. */
    private static Sections sections(int count, IntFunction<IntStream> samples) {
        Sections sections = new Sections();
        for (int section = 0; section < count; section++) {
            Histogram own = Distribution.empty();
            samples.apply(section).forEach(own::recordValue);
            sections.add(interval(section, 1, own.getTotalCount(), own));
        }
        return sections;
    }

    private static IntStream samples(String kind, int section) {
        return switch (kind) {
            case "alike" -> IntStream.range(0, 200).map(i -> 1 + (i * 37 + section * 101) % 997);
            case "levels" ->
                IntStream.range(0, 100 + section * 3).map(i -> 1 + (i * 37 + section * 101) % 997 + section * section % 7 * 40);
            case "halves" -> IntStream.range(0, 2 * (100 + section % 3)).map(i -> i % 2 == 0 ? 1 : 100);
            default -> IntStream.concat(IntStream.range(0, 300).map(i -> 1 + i % 100),
                IntStream.range(0, section % 5 == 2 ? 20 : 0).map(i -> 900 + i));
        };
    }

    /** Known answers by {@code src/test/python/sections.py}: sections that differ by chance, by their level, and by rare slow samples. */
    @ParameterizedTest
    @CsvSource({"alike, 40, 50, 487, 511, 4002.0005001250315", "alike, 40, 90, 890, 904, 797.7783948903083",
        "alike, 40, 99, 985, 990, 82.02071230108614", "levels, 37, 50, 555, 598, 1193.2913033701052",
        "levels, 37, 90, 949, 993, 89.25260228067641", "rare, 24, 50, 50, 52, 3606.2636165577333",
        "rare, 24, 90, 91, 93, 427.56263965704625", "levels, 13, 50, 534, 630, 285.4232345013477",
        "levels, 13, 90, 923, 1023, 24.356457257684237", "levels, 10, 50, 523, 631, 203.30891728781017", "halves, 12, 50, 1, 100, 1212",
        "halves, 12, 90, 100, 100, 2181.6"})
    void aPercentileHasTheIntervalThatItsSectionsLetExpect(String kind, int count, double percentile, double low, double high,
            double episodes) {
        Confidence found = sections(count, section -> samples(kind, section)).confidences(stretch(count), stretch(count))
            .of(Metric.RESPONSE, percentile);
        assertThat(found.low()).isEqualTo(low);
        assertThat(found.high()).isEqualTo(high);
        assertThat(found.episodes()).isCloseTo(episodes, within(1e-6 * episodes));
    }

    @ParameterizedTest
    @CsvSource({"alike, 40, 99.9, 7.999999999999999", "levels, 37, 99, 9.91807460791021", "levels, 37, 99.9, 6.000318341531974",
        "rare, 24, 99, 6.961006250000002", "rare, 24, 99.9, 4.998423577793009", "levels, 13, 99, 2.5721098945388596",
        "levels, 13, 99.9, 1"})
    void aPercentileOfFewEpisodesHasNone(String kind, int count, double percentile, double episodes) {
        Confidence found = sections(count, section -> samples(kind, section)).confidences(stretch(count), stretch(count))
            .of(Metric.RESPONSE, percentile);
        assertThat(found.low()).isNaN();
        assertThat(found.high()).isNaN();
        assertThat(found.episodes()).isCloseTo(episodes, within(1e-6 * episodes));
    }

    /** Known answer by the same script: the rates of 37 seconds. */
    @Test
    void aRateHasTheIntervalThatItsSectionsLetExpect() {
        Sections sections = new Sections();
        for (int second = 0; second < 37; second++) {
            sections.add(counted(second, 1000 + second * second % 17 * 30));
        }
        Confidence sent = sections.confidences(stretch(37), stretch(37)).sent();
        assertThat(sent.low()).isCloseTo(1143.0886057722712, within(1e-6));
        assertThat(sent.high()).isCloseTo(1306.100583416918, within(1e-6));
        assertThat(sent.episodes()).isNaN();
    }

    @Test
    void aRateOfFewSectionsIsUnknown() {
        Sections sections = new Sections();
        for (int second = 0; second < 20; second++) {
            sections.add(counted(second, 100));
        }
        Confidences all = sections.confidences(new Sections.Range(5 * SECOND, 14 * SECOND), new Sections.Range(5 * SECOND, 15 * SECOND));
        assertThat(all.sent()).isEqualTo(Confidence.UNKNOWN);
        assertThat(all.received().isKnown()).isTrue();
    }

    /** An interval of a warm-up is one of the run if messages in it were due behind the warm-up, as at its end. */
    @Test
    void anIntervalOfTheWarmUpCountsWhereItHasMeasuredTimes() {
        for (boolean measured : new boolean[] {true, false}) {
            Sections sections = new Sections();
            for (int second = 0; second < 10; second++) {
                Histogram own = Distribution.empty();
                own.recordValueWithCount(7, second == 0 && !measured ? 0 : 100);
                boolean warmup = second == 0;
                int at = second;
                sections.add(Interval.of(its -> {
                    its.warmup = warmup;
                    its.startEpochNanos = at * SECOND;
                    its.endEpochNanos = (at + 1) * SECOND;
                    its.measured = Map.of(Metric.RESPONSE, new Distribution(own, 0, 0));
                }));
            }
            assertThat(sections.confidences(stretch(10), stretch(10)).of(Metric.RESPONSE, 50).isKnown()).isEqualTo(measured);
        }
    }

    /** A run twice as long as fits has sections of two intervals, and its figures are those of these. */
    @Test
    void neighboursAreJoinedInALongRun() {
        Sections whole = sections(80, section -> samples("levels", section));
        Sections pairs = new Sections();
        for (int pair = 0; pair < 40; pair++) {
            int at = 2 * pair;
            Histogram own = Distribution.empty();
            IntStream.concat(samples("levels", at), samples("levels", at + 1)).forEach(own::recordValue);
            pairs.add(interval(at, 2, own.getTotalCount(), own));
        }
        Confidences all = whole.confidences(stretch(80), stretch(80));
        assertThat(all).isEqualTo(pairs.confidences(stretch(80), stretch(80)));
        assertThat(all.of(Metric.RESPONSE, 50).isKnown()).isTrue();
    }

    static Interval interval(int second, int length, long count, Histogram samples) {
        return Interval.of(its -> {
            its.startEpochNanos = second * SECOND;
            its.endEpochNanos = (second + length) * SECOND;
            its.set(Count.SENT, count);
            its.set(Count.RECEIVED, count);
            its.measured = Map.of(Metric.RESPONSE, new Distribution(samples, 0, 0));
        });
    }

    static Sections.Range stretch(int seconds) {
        return new Sections.Range(0, seconds * SECOND);
    }

    @Test
    void messagesBehindOneSlowMessageAreOneEpisode() {
        Sections sections = new Sections();
        for (int second = 0; second < 60; second++) {
            Histogram samples = Distribution.empty();
            samples.recordValueWithCount(1_000_000, 1000);
            // 1,200 samples lie beyond p99, and one broker's pause of two seconds is all of them.
            for (int i = 0; i < 600 && (second == 30 || second == 31); i++) {
                samples.recordValue(50_000_000 + i * 100_000);
            }
            sections.add(interval(second, 1, 1000, samples));
        }
        Confidence p99 = sections.confidences(stretch(60), stretch(60)).of(Metric.RESPONSE, 99);

        assertThat(p99.isKnown()).isFalse();
        assertThat(p99.isTooFew()).isTrue();
        assertThat(p99.episodes()).isBetween(0.5, 3.0);
    }

    @Test
    void aTimeThatIsAlwaysTheSameIsSure() {
        Sections sections = new Sections();
        for (int second = 0; second < 20; second++) {
            Histogram samples = Distribution.empty();
            samples.recordValueWithCount(1024, 1000);
            sections.add(interval(second, 1, 1000, samples));
        }
        Confidence p99 = sections.confidences(stretch(20), stretch(20)).of(Metric.RESPONSE, 99);
        assertThat(p99.isKnown()).isTrue();
        assertThat(p99.low()).isEqualTo(1024);
        assertThat(p99.high()).isEqualTo(1024);
    }

    static Interval counted(int second, long count) {
        return Interval.of(its -> {
            its.startEpochNanos = second * SECOND;
            its.endEpochNanos = (second + 1) * SECOND;
            its.set(Count.SENT, count);
            its.set(Count.RECEIVED, count);
        });
    }

    @Test
    void aRateCoversTheTimeInWhichMessagesWereSent() {
        Sections sections = new Sections();
        for (int second = 0; second < 30; second++) {
            int at = second;
            sections.add(Interval.of(its -> {
                its.warmup = at < 5;
                its.startEpochNanos = at * SECOND;
                its.endEpochNanos = (at + 1) * SECOND;
                // Sending ends in the middle of a second, and deliveries begin in one.
                its.set(Count.SENT, at < 5 ? 7 : at < 24 ? 100 : at == 24 ? 50 : 0);
                its.set(Count.RECEIVED, at < 10 ? 0 : at == 10 ? 50 : at < 25 ? 100 : 0);
            }));
        }
        Confidences all = sections.confidences(new Sections.Range(5 * SECOND, 24 * SECOND + SECOND / 2),
            new Sections.Range(10 * SECOND + SECOND / 2, 25 * SECOND));

        assertThat(all.sent()).isEqualTo(new Confidence(100, 100, Double.NaN));
        assertThat(all.received()).isEqualTo(new Confidence(100, 100, Double.NaN));
    }

    @Test
    void aRunOfAnyLengthHasFewSections() {
        Sections longRun = new Sections();
        Sections shortRun = new Sections();
        List<Long> rates = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(1);
        for (int second = 0; second < 40 * 64; second++) {
            long count = 1000 + random.nextInt(100);
            rates.add(count);
            longRun.add(counted(second, count));
        }
        for (int section = 0; section < 40; section++) {
            int at = section * 64;
            shortRun.add(Interval.of(its -> {
                its.startEpochNanos = at * SECOND;
                its.endEpochNanos = (at + 64) * SECOND;
                its.set(Count.SENT, rates.subList(at, at + 64).stream().mapToLong(Long::longValue).sum());
            }));
        }
        Sections.Range all = stretch(40 * 64);
        assertThat(longRun.confidences(all, all).sent()).isEqualTo(shortRun.confidences(all, all).sent());
    }

    @Test
    void aRunOfFewIntervalsHasNone() {
        Sections sections = new Sections();
        for (int second = 0; second < 9; second++) {
            sections.add(counted(second, 100));
        }
        assertThat(sections.confidences(stretch(9), stretch(9))).isEqualTo(Confidences.NONE);
        sections.add(counted(9, 100));
        assertThat(sections.confidences(stretch(10), stretch(10)).sent().isKnown()).isTrue();
    }
}
