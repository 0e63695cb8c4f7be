package io.brokermeter.trials.selftest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;

import io.brokermeter.engine.health.OwnStalls;
import io.brokermeter.trials.selftest.SelfTestLine.Grade;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The known answers of queues and how far a run may be from them, against simulated queues. */
class SingleServerQueueTest {

    @Test
    void theMeansAreThoseOfTheBook() {
        assertThat(new SingleServerQueue(0.8, 100, true).mean()).as("1 / (served - arriving)").isCloseTo(1 / 20.0, within(1e-12));
        assertThat(new SingleServerQueue(0.5, 1_000, false).mean()).as("half of the wait of M/M/1").isCloseTo(1.5e-3, within(1e-12));
    }

    @ParameterizedTest
    @CsvSource({"0.5, true", "0.8, true", "0.95, true", "0.5, false", "0.8, false", "0.95, false"})
    void meansOfSimulatedQueuesScatterAsComputed(double load, boolean exponential) {
        SingleServerQueue queue = new SingleServerQueue(load, 1, exponential);
        SplittableRandom random = new SplittableRandom(11);
        int messages = load > 0.9 ? 60_000 : 6_000;
        int runs = 400;
        double squares = 0;
        int wrong = 0;
        for (int i = 0; i < runs; i++) {
            double mean = simulated(queue, messages, random);
            double off = (mean / queue.mean() - 1) / queue.deviation(messages);
            squares += off * off;
            wrong += queue.grade(messages, mean, 0, OwnStalls.NONE, false) == Grade.OK ? 0 : 1;
        }
        assertThat(Math.sqrt(squares / runs)).isCloseTo(1, within(0.17));
        assertThat(wrong).as("false alarms").isZero();
    }

    /** A load generator that waits for the broker sees times of the service alone. */
    @ParameterizedTest
    @CsvSource({"0.5, true", "0.8, true", "0.95, true", "0.8, false", "0.95, false"})
    void aClosedLoopIsFound(double load, boolean exponential) {
        SingleServerQueue queue = new SingleServerQueue(load, 1_000, exponential);
        assertThat(queue.grade(10_000, queue.mean(), 0, OwnStalls.NONE, false)).isEqualTo(Grade.OK);
        assertThat(queue.grade(100_000, 1e-3, 0, OwnStalls.NONE, false)).isEqualTo(Grade.WRONG);
        assertThat(queue.grade(100_000, queue.mean() * 3, 0, OwnStalls.NONE, false)).isEqualTo(Grade.WRONG);
        assertThat(queue.grade(100_000, queue.mean() * 3, 0, OwnStalls.NONE, true)).as("on a disturbed machine")
            .isEqualTo(Grade.DOUBTFUL);
        assertThat(queue.grade(0, 0, 0, OwnStalls.NONE, false)).as("nothing came").isEqualTo(Grade.WRONG);
        assertThat(queue.grade(0, 0, 0, OwnStalls.NONE, true)).isEqualTo(Grade.DOUBTFUL);
    }

    private static double simulated(SingleServerQueue queue, int messages, SplittableRandom random) {
        double now = 0;
        double free = 0;
        double sum = 0;
        int warm = messages / 4;
        for (int i = 0; i < warm + messages; i++) {
            now -= Math.log(1 - random.nextDouble()) / queue.arriving();
            free = Math.max(free, now) + (queue.exponential() ? -Math.log(1 - random.nextDouble()) : 1) / queue.served();
            sum += i < warm ? 0 : free - now;
        }
        return sum / messages;
    }
}
