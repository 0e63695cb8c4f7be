package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.function.Consumer;

import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.engine.scenario.TimeLaw;
import io.brokermeter.engine.scenario.measure.Count;
import org.junit.jupiter.api.Test;

/** Known answers: intervals of a second, 60 s of patience. */
class AwaitedDeliveriesTest {

    private static final int NEVER = 1_000;
    /** The start of the run, in nanoseconds since the epoch. */
    private static final long START = 1_800_000_000_000_000_000L;

    private int index;

    private static AwaitedDeliveries of(Consumer<Groups.C> consumers) {
        return new AwaitedDeliveries(new Groups().producers("p", p -> {}).consumers("c", c -> {
            c.messages = 100;
            consumers.accept(c);
        }).plan());
    }

    private boolean isGivenUp(AwaitedDeliveries deliveries, long confirmed, long received, boolean faulted) {
        long end = ++index * 1_000_000_000L;
        return deliveries.isGivenUp(Interval.of(its -> {
            its.startEpochNanos = START + end - 1_000_000_000;
            its.endEpochNanos = START + end;
            its.elapsedNanos = end;
            its.set(Count.COMPLETED, confirmed);
            its.set(Count.RECEIVED, received);
        }), faulted);
    }

    /** Returns the number of intervals without a delivery until the load is ended. */
    private int until(AwaitedDeliveries deliveries, long confirmed) {
        for (int i = 1; i < NEVER; i++) {
            if (isGivenUp(deliveries, confirmed, 0, false)) {
                return i;
            }
        }
        return NEVER;
    }

    @Test
    void aMinuteInWhichNothingOfWhatWasSentComesEndsTheLoad() {
        AwaitedDeliveries deliveries = of(_ -> {});
        assertThat(until(deliveries, 0)).as("nothing is due").isEqualTo(NEVER);
        assertThat(isGivenUp(deliveries, 5, 5, false)).isFalse();
        assertThat(until(deliveries, 5)).isEqualTo(61);
    }

    @Test
    void oneMessageOfWhichNothingIsHeardIsDue() {
        AwaitedDeliveries deliveries = of(_ -> {});
        assertThat(isGivenUp(deliveries, 0, 0, false)).isFalse();
        assertThat(isGivenUp(deliveries, 1, 0, false)).isFalse();
        assertThat(until(deliveries, 0)).isEqualTo(60);
    }

    @Test
    void theMinuteBeginsWithTheEndOfAFaultAndWithTheLastConsumer() {
        AwaitedDeliveries faulted = of(_ -> {});
        for (int i = 0; i < 200; i++) {
            assertThat(isGivenUp(faulted, 5, 0, true)).isFalse();
        }
        assertThat(until(faulted, 5)).isEqualTo(61);
        index = 0;
        assertThat(until(of(c -> c.start = new Start(Duration.ofSeconds(90), false, Duration.ofSeconds(10))), 5)).isEqualTo(99 + 61);
    }

    @Test
    void whoTakesLongForAMessageHasTwiceThatTime() {
        assertThat(until(of(c -> c.processing = new TimeLaw.Constant(Duration.ofSeconds(50))), 5)).isEqualTo(101);
    }

    @Test
    void theMinuteBeginsAtTheEarliestWithTheRun() {
        assertThat(until(of(_ -> {}), 5)).isEqualTo(61);
    }

    @Test
    void whereItIsNotKnownWhatIsDueNoLoadIsEnded() {
        assertThat(until(of(c -> c.from = new String[] {"queue://ANOTHER"}), 5)).isEqualTo(NEVER);
    }

    @Test
    void aLoadThatEndsByItselfIsLeftToThat() {
        assertThat(until(of(c -> c.messages = 0), 5)).isEqualTo(NEVER);
        Groups timed = new Groups().producers("p", p -> {}).consumers("c", c -> c.messages = 100);
        timed.duration = Duration.ofHours(1);
        assertThat(until(new AwaitedDeliveries(timed.plan()), 5)).isEqualTo(NEVER);
    }
}
