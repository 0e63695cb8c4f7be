package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import com.sun.management.ThreadMXBean;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.Selections;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.engine.scenario.UsageException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of runs with many producers and consumers: those that fit into memory run, and others are refused with a number and a remedy. */
@Tag("slow")
class FootprintTest {

    /**
     * Guards against distributions of each endpoint for each interval, which were most of the allocation of a run with thousands of
     * endpoints.
     */
    @Test
    void whatAnIntervalAllocatesDoesNotGrowWithProducersAndConsumers() throws Exception {
        assertThat(leastAllocated(10_000)).isBetween(1L, leastAllocated(10) + 16_384);
    }

    /**
     * Returns the least number of bytes that the reporting thread allocated from one interval to the next, since some intervals include
     * work that is done once.
     */
    private static long leastAllocated(int pairs) throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        List<Long> readings = new ArrayList<>();
        LoopbackRun run = LoopbackRun.of().wallClock().producers(pairs).consumers(pairs).maxPending(10).rate("2000").interval(20);
        run.prepare(new RunObserver() {
            @Override
            public void interval(Interval interval) {
                readings.add(threads.getCurrentThreadAllocatedBytes());
                // By number of intervals: a load that ends by messages or time has hardly any if the machine stalls.
                if (readings.size() == 100) {
                    run.started().stop(2);
                }
            }
        }).execute();
        assertThat(readings).hasSizeGreaterThan(2);
        return IntStream.range(1, readings.size()).mapToLong(i -> readings.get(i) - readings.get(i - 1)).min().orElseThrow();
    }

    /** Guards against a time that grows with the square of the number of consumers: more than a minute instead of milliseconds. */
    @Test
    void theLedgerOfManyConsumersIsMadeAtOnce() throws Exception {
        Plan plan = LoopbackRun.of().consumers(100_000).maxPending(10).plan();
        try (VirtualClock clock = new VirtualClock()) {
            RunLedger ledger = new RunLedger(plan, Selections.of(plan), 1, RunCoordination.NONE, clock);
            assertThat(ledger.quotasAreUsedUp()).isFalse();
        }
    }

    @Test
    void thousandsOfQueues() throws Exception {
        String[] queues = IntStream.range(0, 10_000).mapToObj(i -> "queue://Q" + i).toArray(String[]::new);
        RunResult r = LoopbackRun.of().wallClock().on(queues).maxPending(100).rate("20000").count(20_000).execute();
        assertThat(LoopbackRun.failuresButTheRate(r)).isEmpty();
        assertThat(r.received()).isEqualTo(20_000);
    }

    /** The knob {@code delay} gives each queue a server, most of which must not be platform threads. */
    @Test
    void aThousandQueuesThatAreServed() throws Exception {
        String[] queues = IntStream.range(0, 1_000).mapToObj(i -> "queue://S" + i).toArray(String[]::new);
        AtomicLong most = new AtomicLong();
        LoopbackRun run = LoopbackRun.of().wallClock().on(queues).maxPending(100).knobs("delay=1ms").interval(50).rate("2000").count(2_000);
        RunResult r = new Run(run.plan(), new RunObserver() {
            @Override
            public void interval(Interval interval) {
                most.accumulateAndGet(Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals("loopback-server")).count(), Math::max);
            }
        }).execute();
        assertThat(LoopbackRun.failuresButTheRate(r)).isEmpty();
        assertThat(r.received()).isEqualTo(2_000);
        assertThat(most.get()).isBetween(1L, 200L);
    }

    @Test
    void windowsThatDoNotFitAreRefused() {
        assertThatThrownBy(() -> LoopbackRun.of().producers(10_000).maxPending(1_000_000).plan()).isInstanceOf(UsageException.class)
            .hasMessageContaining("10,000 producers and 1 consumer need about").hasMessageContaining("messages in flight 240,000")
            .hasMessageContaining("lower key 'producers.maxPending'").hasMessageContaining("JAVA_ARGS=-Xmx");
    }

    @Test
    void aLedgerThatDoesNotFitIsRefused() {
        assertThatThrownBy(() -> LoopbackRun.of().on("topic://T").producers(3_000).consumers(3_000).maxPending(10).plan())
            .isInstanceOf(UsageException.class).hasMessageContaining("fewer producers and subscriptions");
    }

    @Test
    void pollingConsumersThatWouldNeedTooManyThreadsAreRefused() {
        assertThatThrownBy(() -> new Groups().producers("p", p -> {}).consumers("c", c -> {
            c.count = 2_001;
            c.polling = true;
        }).plan()).isInstanceOf(UsageException.class)
            .hasMessageContaining("2,001 consumers with key 'consumers.polling' are more than 2,000");
    }
}
