package io.brokermeter.engine.run.connect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.LoopbackRun;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.run.RunObserver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of when a run queries the watch on its broker, and of what becomes of the results. */
class BrokerWatchTest {

    private static final BrokerFigures FIGURES = BrokerFigures.of(its -> {
        its.observed = "java (pid 1)";
        its.seconds = 2;
        its.cpuSeconds = 0.5;
        its.residentBytes = 100;
        its.gcMillis = 8;
    });

    private static BrokerSample sample(double cpu) {
        return new BrokerSample(1, new BrokerSample.Usage(cpu, 1, 1, 1, 1, 1, 1, 1, 1), BrokerSample.Heap.UNKNOWN, -1, Map.of(),
            List.of());
    }

    /** Returns given samples, and records the calls. */
    private static final class Watch implements BrokerWatch {
        final List<String> calls = new ArrayList<>();
        final Queue<String> notices = new ArrayDeque<>();
        private int samples;

        @Override
        public String describe() {
            return "java (pid 1)";
        }

        @Override
        public void begin() {
            calls.add("begin");
        }

        @Override
        public @Nullable BrokerSample sample() {
            calls.add("sample");
            return ++samples == 1 ? null : BrokerWatchTest.sample(samples);
        }

        @Override
        public BrokerFigures end() {
            calls.add("end");
            return FIGURES;
        }

        @Override
        public List<String> notices() {
            List<String> all = List.copyOf(notices);
            notices.clear();
            return all;
        }

        @Override
        public void close() {
            calls.add("close");
        }
    }

    private final List<Interval> intervals = new ArrayList<>();
    private final List<Event> events = new ArrayList<>();

    private RunResult run(LoopbackRun run, @Nullable BrokerWatch watch) throws RunFailure {
        return run.prepare(new RunObserver() {
            @Override
            public void interval(Interval interval) {
                intervals.add(interval);
            }

            @Override
            public void event(Event event) {
                events.add(event);
            }
        }, watch).execute();
    }

    @Test
    void theWatchIsAskedForEachIntervalAndForTheMeasuredPhase() throws Exception {
        Watch watch = new Watch();
        watch.notices.add("Something is not known");
        RunResult result = run(LoopbackRun.of().rate("1k").warmup(300).duration(1000).interval(200), watch);
        assertThat(watch.calls).startsWith("sample").contains("begin", "end").doesNotContain("close");
        assertThat(watch.calls.indexOf("begin")).isGreaterThan(0).isLessThan(watch.calls.indexOf("end"));
        assertThat(watch.calls.stream().filter("sample"::equals)).hasSize(intervals.size());
        assertThat(intervals.getFirst().broker()).isNull();
        assertThat(intervals.get(1).broker()).isEqualTo(sample(2));
        assertThat(Objects.requireNonNull(result.broker()).withDepthMax(-1)).isEqualTo(FIGURES);
        // The broker used a quarter of a second of CPU time per second.
        assertThat(result.brokerCpuMicrosPerMessage())
            .isEqualTo(0.25e6 * result.part().costSeconds() / result.part().costMessages());
        assertThat(events).extracting(Event::what).contains(new Finding.Said("Something is not known"));
    }

    @Test
    void theDepthIsAskedOfTheDriverAndItsMostIsKept() throws Exception {
        RunResult result = run(LoopbackRun.of().sendOnly().maxPending(0).rate("100").duration(2200).interval(200), null);
        assertThat(intervals).filteredOn(i -> i.broker() != null).isNotEmpty()
            .allSatisfy(i -> assertThat(Objects.requireNonNull(i.broker()).depth()).isBetween(20L, 220L));
        BrokerFigures broker = Objects.requireNonNull(result.broker());
        assertThat(broker.depthMax()).isBetween(100L, 220L);
        assertThat(broker).isEqualTo(BrokerFigures.UNKNOWN.withDepthMax(broker.depthMax()));
        assertThat(result.brokerCpuMicrosPerMessage()).isNaN();
    }

    /** The load is over before the depth is queried for the first time. */
    @Test
    void whatWaitedInTheDrainIsNoFigureOfTheMeasuredPart() throws Exception {
        RunResult result = run(LoopbackRun.of().knobs("delay=2s").count(100).interval(200), null);
        assertThat(result.received()).isEqualTo(100);
        assertThat(intervals).anyMatch(i -> i.broker() != null && i.broker().depth() > 0);
        assertThat(result.broker()).isNull();
    }

    @Test
    void aRunThatIsOverAtOnceAsksForNoDepth() throws Exception {
        RunResult result = run(LoopbackRun.of().count(100), null);
        assertThat(result.success()).isTrue();
        assertThat(result.broker()).isNull();
        assertThat(intervals).allSatisfy(i -> assertThat(i.broker()).isNull());
    }
}
