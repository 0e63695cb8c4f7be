package io.brokermeter.analysis.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;

import io.brokermeter.analysis.limit.LimitAnswer.Quantity;
import io.brokermeter.analysis.limit.LimitAnswer.Strain;
import io.brokermeter.analysis.limit.LimitAnswer.Tried;
import io.brokermeter.analysis.limit.LimitSearch.Outcome;
import io.brokermeter.analysis.statistics.ConfidenceInterval;
import org.junit.jupiter.api.Test;

/** What is said of limits at several values, and of why there is a limit. */
class SeriesWordsTest {

    private static final Quantity PRODUCERS = new Quantity("producers.count", "producers");

    private static LimitAnswer answer(double limit, Tried... trials) {
        return new LimitAnswer(Quantity.RATE, List.of("response.p99 < 50ms"),
            new ConfidenceInterval(limit, limit / 1.02, limit * 1.02, 0.98), 0, null, List.of(trials), List.of(), List.of(), List.of());
    }

    private static LimitSeries series(double contention, double coherency, long... values) {
        return LimitSeries.of(PRODUCERS, true, LongStream.of(values).mapToObj(n -> new LimitSeries.At(n,
            answer(10_000 * n / (1 + contention * (n - 1) + coherency * n * (n - 1))))).toList());
    }

    @Test
    void saysWhereAddingStopsPayingAndBeginsToHurt() {
        String text = SeriesWords.text(series(0.1, 0.02, 1, 2, 4, 8, 16));
        assertThat(text).contains("Clean up to 10,000/s with 1 producer, and to ", " with 16 producers; the highest is ",
            "adding hardly pays: twice as many bring less than 10 % more", "Beyond about 6.71 producers (",
            "more of them lower the limit", "contention 10", "coherency 2", "| by the law |");
    }

    @Test
    void saysWhatThePointsDoNotTell() {
        assertThat(SeriesWords.sentence(series(0, 0, 1, 2, 4)))
            .contains("the points do not tell whether still more of them would");
        assertThat(SeriesWords.sentence(series(0, 0, 1, 2)))
            .isEqualTo("Clean up to 10,000/s with 1 producer, and to 20,000/s with 2 producers.");
        assertThat(SeriesWords.text(LimitSeries.of(PRODUCERS, true, List.of()))).isEqualTo("No limit was found at any of the values.\n");
    }

    private static Tried tried(double load, Outcome outcome, double thread) {
        return new Tried(1, load, outcome, outcome == Outcome.FAILED ? List.of("response.p99 < 50ms") : List.of(), List.of(), load, 1, 2, 3,
            "response", new Strain("io-thread", thread, 1, 70));
    }

    @Test
    void namesAThreadThatIsBusyAtTheLimitAlone() {
        assertThat(LimitWords.sentence(answer(1_000, tried(1_100, Outcome.FAILED, 98), tried(500, Outcome.HELD, 50))))
            .endsWith("(1 of 1 trial that failed), since one of the broker's threads (io-thread) is at 98 %.");
        assertThat(LimitWords.sentence(answer(1_000, tried(1_100, Outcome.FAILED, 98), tried(500, Outcome.HELD, 97))))
            .endsWith("(1 of 1 trial that failed).");
        assertThat(LimitWords.sentence(answer(1_000, tried(1_100, Outcome.FAILED, 60), tried(500, Outcome.HELD, 50))))
            .endsWith("(1 of 1 trial that failed).");
    }
}
