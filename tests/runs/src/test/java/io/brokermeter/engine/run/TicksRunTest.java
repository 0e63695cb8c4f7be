package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.brokermeter.engine.health.TickDelay;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.SendListener;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes due within a tick goes out together at its end. Known answers in virtual time. */
class TicksRunTest {

    private static final long MILLI = 1_000_000;

    /** The moments of all sends of a run, in its clock. */
    private final List<Long> moments = new CopyOnWriteArrayList<>();

    /** 1,000/s are due at 0, 1, 2 ... ms: with ticks of 4 ms they wait 0, 3, 2, 1, 0, 3 ... ms. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void messagesGoOutAtTheEndOfTheirTick(int producers) throws Exception {
        RunResult r = noting(LoopbackRun.of()).producers(producers).rate("1000").tick(4).duration(2_000).execute();

        assertThat(r.sent()).isEqualTo(2_000);
        assertThat(sendTimes()).allMatch(at -> at % (4 * MILLI) == 0).hasSize(500 + 1);
        assertThat(r.health().ticks()).isEqualTo(new TickDelay(4 * MILLI, 2_000, 2_000 / 4 * 6 * MILLI, 3 * MILLI));
        // The times of a message count from the moment at which it was due.
        assertThat(of(r).maxNanos() / 1e6).isBetween(3.0, 3.1);
        assertThat(of(r).meanNanos() / 1e6).isBetween(1.49, 1.52);
        assertThat(r.health().lateness99Millis()).isLessThan(0.1);
        assertThat(r.health().verdict().reasons()).isEmpty();
    }

    @Test
    void theWarmUpStaysOutAndTheEndOfTheLoadEndsTheLastTick() throws Exception {
        RunResult r = noting(LoopbackRun.of()).rate("1000").tick(100).warmup(1_000).duration(2_050).execute();

        assertThat(r.sent()).isEqualTo(2_050);
        assertThat(sendTimes().getLast()).isEqualTo(2_050 * MILLI);
        // From 1,000 ms on: one at the end of its tick, 10 whole ticks of 0 to 99 ms, and the 49 of the last, which ends after 50 ms.
        long waits = 10 * (99 * 100 / 2) + 49 * 50 / 2;
        assertThat(r.health().ticks()).isEqualTo(new TickDelay(100 * MILLI, 1_050, waits * MILLI, 99 * MILLI));
        assertThat(r.health().verdict().reasons()).as("the tick was asked for").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"poisson:1000", "steps:500@1s,2k@1s", "sine:1k,500@1s", "bursts:2k@100ms/300ms"})
    void everyKindOfArrivalsHasTicks(String load) throws Exception {
        RunResult plain = noting(LoopbackRun.of()).load(Load.parse(load, 7)).duration(2_000).execute();
        int without = sendTimes().size();
        moments.clear();
        RunResult r = noting(LoopbackRun.of()).load(Load.parse(load, 7)).tick(20).duration(2_000).execute();

        assertThat(r.sent()).isEqualTo(plain.sent());
        assertThat(sendTimes()).allMatch(at -> at % (20 * MILLI) == 0).hasSizeLessThanOrEqualTo(101).hasSizeLessThan(without / 3);
        assertThat(r.health().ticks().messages()).isEqualTo(r.sent());
        assertThat(r.health().ticks().maxNanos()).isBetween(15 * MILLI, 20 * MILLI);
        assertThat(plain.health().ticks().isKnown()).isFalse();
    }

    /** Returns the different moments of sends, from the start of the load, to a tenth of a millisecond: each reading of the clock takes some time. */
    private List<Long> sendTimes() {
        long first = moments.getFirst();
        return moments.stream().map(at -> Math.round((at - first) / 1e5) * MILLI / 10).distinct().sorted().toList();
    }

    private static Distribution of(RunResult r) {
        return r.measured().get(Metric.SEND_DELAY);
    }

    private LoopbackRun noting(LoopbackRun run) {
        Driver driver = LoopbackRun.sending(listener -> new Noting(run, listener, moments));
        return run.over(driver).sendOnly();
    }

    /** A producer whose messages are confirmed at once. */
    private record Noting(LoopbackRun run, SendListener listener, List<Long> moments) implements Producer {

        @Override
        public void send(Payload payload, long token) {
            moments.add(run.clock().nanos());
            listener.confirmed(token);
        }

        @Override
        public String stallReason() {
            return "";
        }

        @Override
        public void close() {}
    }
}
