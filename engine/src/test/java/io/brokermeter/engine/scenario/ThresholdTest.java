package io.brokermeter.engine.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;

import io.brokermeter.engine.scenario.measure.Quantity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThresholdTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "response.p99 < 10ms              | response.p99    | BELOW    | 10000",
        "response.p99.9<1.5s              | response.p99.9  | BELOW    | 1500000",
        "send.max <= 250us                | send.max        | AT_MOST  | 250",
        "send.mean<=0                     | send.mean       | AT_MOST  | 0",
        "send-delay.p50 < 1ms             | sendDelay.p50   | BELOW    | 1000",
        "Send_Delay.Median < 1ms          | sendDelay.p50   | BELOW    | 1000",
        "round-trip.p90 < 2m              | roundTrip.p90   | BELOW    | 120000000",
        "lost == 0                        | lost            | EQUAL    | 0",
        "lost=0                           | lost            | EQUAL    | 0",
        "lost != 1                        | lost            | OTHER    | 1",
        "out-of-order < 10k               | outOfOrder      | BELOW    | 10000",
        "received.rate >= 37k/s           | received.rate   | AT_LEAST | 37000",
        "sent.rate > 90/m                 | sent.rate       | ABOVE    | 1.5",
        "sent.rate > 500                  | sent.rate       | ABOVE    | 500",
        "success >= 99.9%                 | success         | AT_LEAST | 99.9",
        "broker.cpu < 150 %               | broker.cpu      | BELOW    | 150",
        "broker.memory < 2GiB             | broker.memory   | BELOW    | 2147483648",
        "broker.memoryMax < 512MiB        | broker.memoryMax| BELOW    | 536870912",
        "elapsed < 90                     | -               | -        | -",
        "elapsed < 90s                    | elapsed         | BELOW    | 90",
        "reconnects == 0                  | reconnects      | EQUAL    | 0"})
    void anExpressionHasAFigureAComparisonAndALimitInTheUnitOfTheFigure(String text, String figure, String comparison, String limit) {
        if (figure.equals("-")) {
            assertThatThrownBy(() -> Threshold.parse(text)).isInstanceOf(UsageException.class).hasMessageContaining("a time with a unit");
            return;
        }
        Threshold threshold = Threshold.parse(text);
        assertThat(threshold.figure().key()).isEqualTo(figure);
        assertThat(threshold.comparison().name()).isEqualTo(comparison);
        assertThat(threshold.limit()).isEqualTo(Double.parseDouble(limit));
        assertThat(threshold.text()).isEqualTo(text);
        assertThat(threshold.abort()).isFalse();
        assertThat(threshold.phase()).isNull();
    }

    @Test
    void abortStandsBehindIt() {
        assertThat(Threshold.parse("failed == 0, abort").abort()).isTrue();
        assertThat(Threshold.parse("failed == 0 abort").text()).isEqualTo("failed == 0");
        assertThat(Threshold.parse(" response.p99 < 10ms,abort ").abort()).isTrue();
    }

    @Test
    void aPhaseStandsBeforeIt() {
        Threshold threshold = Threshold.parse("phase(long burst).response.p99 < 10ms");
        assertThat(threshold.phase()).isEqualTo("long burst");
        assertThat(threshold.figure().key()).isEqualTo("response.p99");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "response.p99                 | must be a figure, a comparison and a limit",
        "< 10ms                       | must be a figure, a comparison and a limit",
        "response.p99 < 10            | the limit of 'response.p99' must be a time with a unit, like 500us or 10ms, not '10'",
        "response.p99 < 10/s          | must be a time with a unit",
        "respons.p99 < 10ms           | there is no figure 'respons.p99'; did you mean 'response.p99'?",
        "response.p100 < 10ms         | 'p100' is no part of a time",
        "response.p0 < 10ms           | 'p0' is no part of a time",
        "response.99 < 10ms           | percentiles like p50, p99 and p99.9",
        "lost == 0ms                  | must be a number of messages",
        "lost == -1                   | must be a number of messages",
        "success > 0.9                | must be a percentage",
        "broker.memory < 2ms          | must be a size",
        "sent.rate > fast             | must be a rate",
        "lost == 0, abort             | 'lost' is known when the run is over",
        "sent >= 1000, abort          | 'sent' grows up to the run's end",
        "duplicates == 5, abort       | 'duplicates' grows"})
    void aMistakeIsToldWithWhatIsRight(String text, String part) {
        assertThatThrownBy(() -> Threshold.parse(text)).isInstanceOf(UsageException.class)
            .hasMessageContaining(part).hasMessageStartingWith("Threshold '");
    }

    @Test
    void aValueThatIsNotKnownKeepsNoLimit() {
        for (Threshold.Comparison comparison : Threshold.Comparison.values()) {
            assertThat(comparison.holds(Double.NaN, 0)).isFalse();
        }
        assertThat(Threshold.Comparison.AT_MOST.holds(10_000, 10_000)).isTrue();
        assertThat(Threshold.Comparison.BELOW.holds(10_000, 10_000)).isFalse();
    }

    @Test
    void noTwoFiguresHaveOneName() {
        Set<String> names = new HashSet<>();
        for (Quantity quantity : Quantity.all()) {
            assertThat(names.add(quantity.key().replaceAll("[_-]", "").toLowerCase(java.util.Locale.ROOT))).as(quantity.key()).isTrue();
            assertThat(quantity.doc()).endsWith(".");
        }
    }
}
