package io.brokermeter.engine.run.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.IntToDoubleFunction;

import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.scenario.measure.Count;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the growth of a backlog, on queues whose answer is known. */
class BacklogTest {

    private static final int WARMUP = 3;

    @ParameterizedTest
    @CsvSource({"100, 0.5", "100, 0.8", "100, 0.9", "100, 0.95", "100, 0.98", "300, 0.95", "300, 0.98"})
    void aBrokerThatKeepsUpIsSeldomAccused(double rate, double load) {
        Random random = new Random(46);
        int accused = 0;
        for (int i = 0; i < 200; i++) {
            accused += queue(random, rate, rate / load, true, true, 40).unconfirmed(WARMUP, 0) == null ? 0 : 1;
        }
        assertThat(accused).isLessThanOrEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({"100, 1.02", "1000, 1.02", "1000, 1.05", "1000, 1.5"})
    void aBrokerThatDoesNotKeepUpIsNamed(double rate, double load) {
        Backlog.Growth growth = Objects.requireNonNull(queue(new Random(1), rate, rate / load, false, false, 40).unconfirmed(WARMUP, 0));

        assertThat(growth.sentPerSecond()).isCloseTo(rate, within(0.01 * rate));
        assertThat(growth.grownPerSecond()).isCloseTo(rate - rate / load, within(0.05 * (rate - rate / load) + 0.1));
    }

    @Test
    void arrivalsAndServicesByChanceHideNoOverloadThatIsClear() {
        Random random = new Random(2);
        for (int i = 0; i < 20; i++) {
            assertThat(queue(random, 5_000, 5_000 / 1.02, true, true, 40).unconfirmed(WARMUP, 0)).as("2 %% of 5,000/s, run %d", i)
                .isNotNull();
            assertThat(queue(random, 1_000, 1_000 / 1.05, true, true, 40).unconfirmed(WARMUP, 0)).as("5 %% of 1,000/s, run %d", i)
                .isNotNull();
        }
    }

    @Test
    void severalProcessesHaveTheBacklogOfOne() {
        Backlog one = queue(new Random(1), 500, 490, false, false, 40);
        Backlog growth = Backlog.sum(List.of(one, queue(new Random(1), 500, 490, false, false, 30)));

        assertThat(growth.points()).hasSameSizeAs(one.points());
        assertThat(growth.points().get(20).sent()).isEqualTo(2 * one.points().get(20).sent());
        assertThat(Objects.requireNonNull(Backlog.sum(List.of(one, one)).unconfirmed(WARMUP, 0)).grownPerSecond()).isCloseTo(20,
            within(0.5));
    }

    @Test
    void aRunThatIsTooShortIsNotJudged() {
        assertThat(queue(new Random(1), 1_000, 800, false, false, 8).unconfirmed(WARMUP, 0)).isNull();
        assertThat(queue(new Random(1), 1_000, 800, false, false, 12).unconfirmed(WARMUP, 0)).isNotNull();
    }

    /** Messages of an open transaction wait for the rest of it, not for the broker. */
    @Test
    void anOpenTransactionIsNoBacklog() {
        Backlog filling = series(40, 10, t -> 10 * t, t -> 0, t -> 0);

        assertThat(filling.unconfirmed(WARMUP, 1_000)).isNull();
        assertThat(filling.unconfirmed(WARMUP, 100)).isNotNull();
    }

    @Test
    void deliveriesThatComeWhenNothingIsSentAnyMoreAreABacklog() {
        Backlog slow = series(40, 60, t -> 1_000 * Math.min(t, 40), t -> 1_000 * Math.min(t, 40), t -> 670 * t);

        assertThat(Objects.requireNonNull(slow.undelivered(WARMUP, 1, 0)).grownPerSecond()).isCloseTo(330, within(1.0));
    }

    /** Messages that never come are a loss, not a backlog: 5 % of them all the time. */
    @Test
    void lossesAreNoBacklog() {
        Backlog losing = series(40, 41, t -> 1_000 * Math.min(t, 40), t -> 1_000 * Math.min(t, 40), t -> 950 * Math.min(t, 40));

        assertThat(losing.undelivered(WARMUP, 0.95, 0)).isNull();
        assertThat(losing.undelivered(WARMUP, 1, 0)).as("what is lost is left out").isNull();
        assertThat(losing.undelivered(WARMUP, 1, 2_000)).as("it waits in the broker").isNotNull();
    }

    /** A group of three subscriptions ends early, so the deliveries of a message are not the same number all the time. */
    @Test
    void anotherMixOfMessagesIsNoBacklog() {
        Backlog mixed = series(40, 41, t -> 1_000 * Math.min(t, 40), t -> 1_000 * Math.min(t, 40),
            t -> 1_000 * Math.min(t, 20) + 3_000 * Math.max(0, Math.min(t, 40) - 20));

        assertThat(mixed.undelivered(WARMUP, 2, 0)).isNull();
    }

    @Test
    void aLongRunKeepsABoundedNumberOfMoments() {
        Backlog.Series series = new Backlog.Series();
        for (int t = 1; t <= 10_000; t++) {
            series.add(t * 1_000_000_000L, counts(1_000L * t, 950L * t, 0));
        }
        Backlog all = series.made(counts(10_000_000, 9_500_000, 0));

        assertThat(all.points().size()).isLessThanOrEqualTo(Backlog.MOST);
        assertThat(all.points().get(100).sent()).isEqualTo(100_000.0 * all.every());
        assertThat(Objects.requireNonNull(all.unconfirmed(60, 0)).grownPerSecond()).isCloseTo(50, within(0.1));
    }

    /** A moment that was missed, since nothing was read for a while, lies on the line between those beside it. */
    @Test
    void momentsAreWholeSeconds() {
        Backlog.Series series = new Backlog.Series();
        series.add(900_000_000, counts(900, 900, 0));
        series.add(3_100_000_000L, counts(3_100, 3_100, 0));

        assertThat(series.made(counts(3_100, 3_100, 0)).points()).extracting(Backlog.Point::sent)
            .usingElementComparator((a, b) -> Math.abs(a - b) < 1e-6 ? 0 : Double.compare(a, b))
            .containsExactly(0.0, 1_000.0, 2_000.0, 3_000.0);
    }

    private static Counts counts(long sent, long completed, long received) {
        return Counts.NONE.with(Count.SENT, sent).with(Count.COMPLETED, completed).with(Count.RECEIVED, received);
    }

    /** @param end last second of the run, after the load and the drain */
    private static Backlog series(int load, int end, IntToDoubleFunction sent, IntToDoubleFunction confirmed,
            IntToDoubleFunction received) {
        Backlog.Series series = new Backlog.Series();
        for (int t = 1; t <= Math.max(load, end); t++) {
            series.add(t * 1_000_000_000L, at(t, sent, confirmed, received));
        }
        return series.made(at(Math.max(load, end), sent, confirmed, received));
    }

    private static Counts at(int t, IntToDoubleFunction sent, IntToDoubleFunction confirmed, IntToDoubleFunction received) {
        return counts((long) sent.applyAsDouble(t), (long) confirmed.applyAsDouble(t), (long) received.applyAsDouble(t));
    }

    /**
     * Returns the backlog of a queue with one server.
     *
     * @param randomArrivals whether arrivals are a Poisson process, and otherwise equally spaced
     * @param randomServices whether times of service are exponential, and otherwise all the same
     * @param seconds length of the measured part
     */
    private static Backlog queue(Random random, double rate, double service, boolean randomArrivals, boolean randomServices, int seconds) {
        int end = WARMUP + seconds;
        int[] arrived = new int[end + 1];
        int[] served = new int[end + 1];
        double arrival = 0;
        double free = 0;
        while (true) {
            arrival += randomArrivals ? -Math.log(1 - random.nextDouble()) / rate : 1 / rate;
            if (arrival >= end) {
                break;
            }
            free = Math.max(arrival, free) + (randomServices ? -Math.log(1 - random.nextDouble()) / service : 1 / service);
            arrived[(int) arrival + 1]++;
            if (free < end) {
                served[(int) free + 1]++;
            }
        }
        Backlog.Series series = new Backlog.Series();
        long in = 0;
        long out = 0;
        for (int t = 1; t <= end; t++) {
            in += arrived[t];
            out += served[t];
            series.add(t * 1_000_000_000L, counts(in, out, out));
        }
        series.add((end + 1) * 1_000_000_000L, counts(in, in, in));
        return series.made(counts(in, in, in));
    }
}
