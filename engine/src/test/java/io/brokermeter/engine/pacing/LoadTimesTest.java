package io.brokermeter.engine.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.UsageException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Known answers of every shape of a load. */
class LoadTimesTest {

    private static final long SECOND = 1_000_000_000L;

    @TempDir
    Path temporary;

    private static FireTimes of(String load) {
        return FireTimes.of(Load.parse(load, 7));
    }

    /** Returns the number of events due in [from, to), in seconds, according to the schedule itself. */
    private static long events(FireTimes times, double from, double to) {
        return before(times, to) - before(times, from);
    }

    private static long before(FireTimes times, double seconds) {
        long nanos = Math.round(seconds * 1e9);
        long low = 0;
        long high = 1;
        while (times.at(high) < nanos) {
            high *= 2;
        }
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (times.at(middle) < nanos) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    @ParameterizedTest(name = "{0} from {1} to {2} s: {3}")
    @CsvSource(delimiter = '|', value = {
        "10k|0|3|30000",
        "constant:0.5|0|10|5",
        "steps:1k@10s,2k@10s|0|10|10000",
        "steps:1k@10s,2k@10s|10|20|20000",
        "steps:1k@10s,2k@10s|20|30|20000",
        "steps:0@2s,100@1s|0|2|0",
        "steps:0@2s,100@1s|2|3|100",
        "steps:0/s@2s,0k/min..200@1s|2|3|100",
        "steps:0..1k@10s,1k@1s|0|10|5000",
        "steps:1k..0@10s,300@1s|0|10|5000",
        "steps:1k..3k@10s|0|5|7500",
        "steps:1k..3k@10s|5|10|12500",
        "steps:1k..3k@10s|10|11|3000",
        "bursts:10k@1s/4s|0|1|10000",
        "bursts:10k@1s/4s|1|5|0",
        "bursts:10k@1s/4s|5|6|10000",
        "bursts:10k@250ms/750ms|0|60|150000",
        "bursts:0.01@1s/1s|0|2000|10",
        "bursts:0.01@1s/1s|200|201|1",
        "bursts:0.01@1s/1s|201|400|0",
        "bursts:15@100ms/0s|0|10|150",
        "bursts:15@100ms/100ms|0|20|150",
        "bursts:15@100ms/100ms|0|0.2|2",
        "bursts:15@100ms/100ms|0.2|0.4|1",
        "bursts:7@300ms/1.7s|0|2000|2100",
        "bursts:1/h@1m/1m|0|7200|1",
        "sine:5k,5k@30s|0|30|150000",
        "sine:5k,4k@10s|0|600|3000000"})
    void hasTheEventsThatItsRateAddsUpTo(String load, double from, double to, long expected) {
        assertThat(events(of(load), from, to)).isEqualTo(expected);
    }

    @Test
    void aSineHasItsHalvesAboveAndBelowTheMean() {
        // The integral of sin over half a period is P / pi.
        double above = 5000 * 5 + 4000 * 10 / Math.PI;
        FireTimes times = of("sine:5k,4k@10s");
        assertThat((double) events(times, 0, 5)).isCloseTo(above, within(1.0));
        assertThat((double) events(times, 5, 10)).isCloseTo(50_000 - above, within(1.0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"777", "steps:0..5k@3s,5k..0@3s,1k@1s", "sine:1k,1k@2s", "bursts:3k@100ms/50ms", "poisson:5k"})
    void neverGoesBack(String load) {
        FireTimes times = of(load);
        long last = -1;
        for (long i = 0; i < 200_000; i++) {
            long at = times.at(i);
            assertThat(at).isGreaterThanOrEqualTo(last);
            last = at;
        }
    }

    @Test
    void poissonArrivalsHaveTheMeanAndTheSpreadOfPoissonArrivals() {
        FireTimes times = of("poisson:1k");
        int seconds = 2000;
        double mean = (double) events(times, 0, seconds) / seconds;
        // Four standard errors of the mean: 4 sqrt(1000 / 2000).
        assertThat(mean).isCloseTo(1000, within(4 * Math.sqrt(1000.0 / seconds)));
        double squares = 0;
        for (int s = 0; s < seconds; s++) {
            squares += Math.pow(events(times, s, s + 1) - mean, 2);
        }
        // The variance of counts is their mean; its standard error is about sqrt(2 / n) of it.
        assertThat(squares / seconds / 1000).isCloseTo(1, within(4 * Math.sqrt(2.0 / seconds)));
    }

    @Test
    void poissonArrivalsAreTheSameForEveryThreadAndInAnyOrder() {
        FireTimes first = of("poisson:1k");
        FireTimes second = first.forAnotherThread(1);
        long far = first.at(1_000_000);
        long[] near = new long[20_000];
        for (int i = 0; i < near.length; i++) {
            near[i] = first.at(i);
        }
        for (int i = near.length - 1; i >= 0; i--) {
            assertThat(second.at(i)).isEqualTo(near[i]);
        }
        assertThat(of("poisson:1k").at(1_000_000)).isEqualTo(far);
        assertThat(FireTimes.of(Load.parse("poisson:1k", 8)).at(5)).isNotEqualTo(near[5]);
    }

    /**
     * Ten producers are behind, the first one by 20,000 events and each further one by another 20,000. All of them send in turn as events
     * become due.
     */
    @Test
    void poissonArrivalsThatAreOwedAreMadeOnceForEachPage() {
        PoissonTimes times = new PoissonTimes(20_000, 7);
        int events = 400_000;
        int owed = 20_000;
        for (long event = 0; event < events; event++) {
            times.at(event);
            for (int producer = 0; producer < 10; producer++) {
                times.at(Math.max(0, event - owed * (1L + producer)));
            }
        }
        // Each of the 400,000 / 4,096 = 98 pages is generated for the newest event, and again for the owed event of each producer.
        assertThat(times.fills).isLessThanOrEqualTo(11 * 98);
    }

    @Test
    void poissonArrivalsOfWhoOwesNothingAreMadeOnce() {
        PoissonTimes times = new PoissonTimes(20_000, 7);
        for (long event = 0; event < 400_000; event++) {
            times.at(event);
            times.at(Math.max(0, event - 100));
        }
        assertThat(times.fills).isEqualTo(98);
    }

    /**
     * One producer is behind by more events than all pages hold, and sends as events become due. Two pages suffice: that of the event that
     * it owes, and that of the newest event.
     */
    @Test
    void aThreadOfOneProducerKeepsTwoPagesOfPoissonArrivalsHoweverMuchItOwes() {
        PoissonTimes times = new PoissonTimes(20_000, 7).forAnotherThread(2);
        for (long event = 0; event < 400_000; event++) {
            times.at(event);
            times.at(Math.max(0, event - 200_000));
        }
        assertThat(times.pagesKept()).isEqualTo(2);
        // 98 pages for the newest events, and those of the first half again.
        assertThat(times.fills).isLessThanOrEqualTo(98 + 49 + 1);
    }

    /** The times are those of a sequential reader, whichever pages were kept or discarded before. */
    @Test
    void poissonArrivalsAreTheSameHoweverManyPagesAreKept() {
        FireTimes walked = of("poisson:1k");
        long[] moments = new long[400_000];
        for (int i = 0; i < moments.length; i++) {
            moments[i] = walked.at(i);
        }
        FireTimes times = of("poisson:1k");
        for (long i = 0; i < 2_000; i++) {
            int any = (int) (i * 7_919 * 4_099 % moments.length);
            assertThat(times.at(any)).isEqualTo(moments[any]);
        }
    }

    /** Four standard errors of the correlation of 4,000 independent gaps are 0.063. */
    @ParameterizedTest
    @ValueSource(ints = {-3, -2, -1, 0, 1, 2, 3})
    void poissonArrivalsOfNeighbouringSeedsHaveNothingInCommon(int lag) {
        int n = 4_000;
        double[] one = gaps(7, 10, n);
        double[] other = gaps(8, 10 + lag, n);
        double sum = 0;
        for (int i = 0; i < n; i++) {
            // Mean and standard deviation of the gaps are 1 ms.
            sum += (one[i] - 1) * (other[i] - 1);
        }
        assertThat(sum / n).isCloseTo(0, within(4 / Math.sqrt(n)));
    }

    /** Returns the gaps between events at 1,000/s, in milliseconds. */
    private static double[] gaps(long seed, int from, int n) {
        FireTimes times = FireTimes.of(new Load.Poisson(1_000, seed));
        double[] gaps = new double[n];
        for (int i = 0; i < n; i++) {
            gaps[i] = (times.at(from + i + 1L) - times.at(from + i)) / 1e6;
        }
        return gaps;
    }

    @Test
    void aLoadThatEndsInSilenceHasNothingMoreToSend() {
        assertThat(of("steps:10@1s,0@1s").at(10)).isEqualTo(FireTimes.NEVER);
        assertThat(of("steps:10@1s,0@1s").at(9)).isEqualTo(900_000_000L);
    }

    /** Behind so many silences an event would be due after the end of time: it is never due, and not due in the past. */
    @Test
    void aBurstBeyondTheEndOfTimeIsNeverDue() {
        FireTimes times = of("bursts:1@1ms/1h");
        // Event 1,281 has 1,281,000 silences of an hour before it: 146 years, which is what a long can hold without running over.
        assertThat(times.at(1)).isEqualTo(SECOND + 1_000 * 3_600 * SECOND);
        assertThat(times.at(1_281)).isEqualTo(1_281 * SECOND + 1_281_000L * 3_600 * SECOND);
        assertThat(times.at(1_282)).isEqualTo(FireTimes.NEVER);
        assertThat(times.at(1_000_000_000)).isEqualTo(FireTimes.NEVER);
    }

    /** The moments themselves, to the nanosecond, where they are whole: a ramp from a to b in L seconds has N(t) = a t + (b - a) t^2 / 2 L. */
    @ParameterizedTest(name = "{0}: event {1} after {2} ns")
    @CsvSource(delimiter = '|', value = {
        "steps:0..200@1s|0|0", "steps:0..200@1s|1|100000000", "steps:0..200@1s|25|500000000", "steps:0..200@1s|64|800000000",
        "steps:100..0@1s,50@1s|32|400000000", "steps:100..0@1s,50@1s|48|800000000", "steps:100..0@1s,50@1s|50|1000000000",
        "steps:100..0@1s,50@1s|51|1020000000", "steps:10@1s,20@1s|9|900000000", "steps:10@1s,20@1s|10|1000000000",
        "steps:10@1s,20@1s|11|1050000000", "steps:10@1s,20@1s|50|3000000000", "steps:0@2s,100@1s|0|2000000000",
        "steps:0@2s,100@1s|1|2010000000", "steps:10@1s,30..10@2s|10|1000000000", "steps:10@1s,30..10@2s|50|3000000000"})
    void aStepOrARampHasItsEventsAtTheseMoments(String load, long event, long nanos) {
        assertThat((double) of(load).at(event)).isCloseTo(nanos, within(1.0));
    }

    /** 4,096 gaps are drawn from one seed; the event behind a border between two pages continues the time of the one before. */
    @Test
    void poissonArrivalsGoOnAcrossPages() {
        FireTimes times = of("poisson:1k");
        for (long border = 4_096; border <= 4_096 * 40; border += 4_096) {
            double gap = times.at(border) - times.at(border - 1);
            assertThat(gap).as("gap before event " + border).isPositive().isLessThan(20e6);
        }
    }

    /** A thread whose producers are scattered over 40 pages keeps at most 32 of them, and any number of places keeps at least two. */
    @Test
    void atMost32PagesOfPoissonArrivalsAreKept() {
        PoissonTimes times = new PoissonTimes(20_000, 7).forAnotherThread(100);
        for (int round = 0; round < 3; round++) {
            for (long page = 39; page >= 0; page--) {
                times.at(page * 4_096);
            }
        }
        assertThat(times.pagesKept()).isEqualTo(32);
        PoissonTimes fewest = new PoissonTimes(20_000, 7).forAnotherThread(1);
        for (int round = 0; round < 3; round++) {
            fewest.at(0);
            fewest.at(4_096);
        }
        assertThat(fewest.pagesKept()).isEqualTo(2);
        assertThat(fewest.fills).as("pages that are made, though the thread goes back and forth").isEqualTo(2);
    }

    @Test
    void aScheduleThatKeepsNothingServesEveryThread() {
        FireTimes times = of("777");
        assertThat(times.forAnotherThread(3).at(5)).isEqualTo(times.at(5));
    }

    @Test
    void noLoadHasNoEvents() {
        assertThat(FireTimes.of(new Load.Silence()).at(0)).isEqualTo(FireTimes.NEVER);
        assertThatThrownBy(() -> FireTimes.of(new Load.AllOut())).isInstanceOf(IllegalArgumentException.class)
            .hasMessage("Sending as fast as possible has no schedule.");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "2026-01-31T12:00:00.000Z a\n2026-01-31T12:00:00.250Z b\n\n2026-01-31T12:00:02Z c",
        "2026-01-31 12:00:00,000 INFO a\n2026-01-31 12:00:00,250 INFO b\n2026-01-31 12:00:02,000 INFO c",
        "1769860800.000 a\n1769860800.250 b\n1769860802 c",
        "1769860800000,a\n1769860800250,b\n1769860802000,c",
        "1769860800000,512\n1769860800250,48\n1769860802000,2048",
        "1769860800.000,512\n1769860800.250,48\n1769860802,100",
        "0\n0.25\n2",
        "\uFEFF0\n0.25\n2",
        "1.2.3.4 - - [31/Jan/2026:12:00:00 +0000] \"GET\"\n1.2.3.4 - - [31/Jan/2026:12:00:00 +0000] x\n"
            + "1.2.3.4 - - [31/Jan/2026:12:00:02 +0000] y"})
    void aTraceHasTheTimingOfItsLines(String text) throws Exception {
        Path file = Files.writeString(temporary.resolve("trace.log"), text);
        FireTimes times = of("trace:" + file);
        assertThat(times.at(0)).isZero();
        assertThat(times.at(1)).isEqualTo(text.startsWith("1.2.3.4") ? 0 : SECOND / 4);
        assertThat(times.at(2)).isEqualTo(2 * SECOND);
        assertThat(times.at(3)).isEqualTo(FireTimes.NEVER);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "5\\n4|goes back in time in line 2",
        "5\\nhello|no time stamp at the beginning of line 2",
        "\\n\\n|is empty"})
    void aTraceThatCannotBeReplayedIsNamedWithItsLine(String text, String sentence) throws Exception {
        Path file = Files.writeString(temporary.resolve("trace.log"), text.replace("\\n", "\n"));
        assertThatThrownBy(() -> of("trace:" + file)).isInstanceOf(UsageException.class).hasMessageContaining(sentence);
    }

    /** Clients write what they like into an access log; only time stamps are of interest. */
    @Test
    void aTraceMayHaveAnyTextBehindItsTimeStamps() throws Exception {
        Path file = Files.write(temporary.resolve("trace.log"), "0 gr\u00FC\u00DFe\n2 b".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(of("trace:" + file).at(1)).isEqualTo(2 * SECOND);
    }

    @Test
    void aTraceInUtf16IsNamedSo() throws Exception {
        Path file = Files.write(temporary.resolve("trace.log"), "0\n2".getBytes(StandardCharsets.UTF_16));
        assertThatThrownBy(() -> of("trace:" + file)).isInstanceOf(UsageException.class).hasMessageContaining("perhaps one in UTF-16");
    }

    @ParameterizedTest
    @ValueSource(strings = {"steps:", "steps:1k", "steps:1k@0s", "sine:5k@30s", "sine:5k,6k@30s", "bursts:10k@1s", "saw:5",
        "poisson:0", "steps:x@1s", "trace:/nowhere/at/all"})
    void aLoadThatCannotBeReadIsRefused(String load) {
        assertThatThrownBy(() -> of(load)).isInstanceOf(UsageException.class).message().endsWith(".").doesNotContain("\n");
    }
}
