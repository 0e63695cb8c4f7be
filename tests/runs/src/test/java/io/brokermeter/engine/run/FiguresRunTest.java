package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.brokermeter.driver.loopback.LoopbackDriver;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.PhaseResult;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.parts.Spans;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Phase;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.Summarizer;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.engine.scenario.message.Sizes;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Producer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests that runs pass the right times to {@link Spans}, whose answers {@code SpansTest} checks, and that they start when everything is
 * ready.
 */
class FiguresRunTest {

    @Test
    void aMeanRateCoversTheTimeInWhichNothingWasDue() throws Exception {
        // Messages are due at 0 and at 500 ms; over the time up to the last send, the rate would be 4/s.
        RunResult r = LoopbackRun.of().rate("2").duration(1_000).execute();
        assertThat(r.sent()).isEqualTo(2);
        assertThat(r.part().seconds()).isGreaterThanOrEqualTo(1);
        assertThat(r.meanSent()).isEqualTo(2 / r.part().seconds());
        assertThat(r.meanReceived()).isLessThanOrEqualTo(2);
        assertThat(Groups.group(r, "producers").messagesPerSecond()).isLessThanOrEqualTo(2);
    }

    @Test
    void aCountOfMessagesLastsUntilTheNextWouldBeDue() throws Exception {
        RunResult r = LoopbackRun.of().rate("10").count(5).threads(2).producers(2).execute();
        assertThat(r.sent()).isEqualTo(5);
        assertThat(r.part().seconds()).isGreaterThanOrEqualTo(0.5);
        assertThat(r.meanSent()).isLessThanOrEqualTo(10);
        assertThat(r.elapsed()).as("nobody waits for it").isLessThan(Duration.ofSeconds(4));
    }

    @Test
    void aRunThatEndsInItsWarmUpHasNoCpuTimeToDivide() throws Exception {
        RunResult r = LoopbackRun.of().rate("10").count(5).warmup(60_000).execute();
        assertThat(r.sent()).isEqualTo(5);
        assertThat(r.part().costSeconds()).isZero();
        assertThat(r.part().costMessages()).isZero();
        assertThat(r.health().cpuMicrosPerMessage()).isNaN();
        assertThat(r.brokerCpuMicrosPerMessage()).isNaN();
    }

    @Test
    void burstsHaveTheRateOfTheirPauses() throws Exception {
        Groups run = new Groups();
        run.duration = Duration.ofSeconds(2);
        RunResult r = run.producers("p", p -> p.load = new Load.Bursts(Rate.parse("200"), Duration.ofMillis(250), Duration.ofMillis(750)))
            .consumers("c", c -> {}).execute();
        assertThat(r.sent()).isEqualTo(100);
        assertThat(r.meanSent()).isLessThanOrEqualTo(50);
    }

    @Test
    void bareMessagesAreReceivedToo() throws Exception {
        RunResult r = new Groups().producers("p", p -> {
            p.messages = 100;
            p.message = Messages.of(its -> {
                its.sizes = new Sizes.Fixed(64);
                its.bare = true;
            });
        }).consumers("c", c -> {}).execute();
        assertThat(r.received()).isEqualTo(100);
        assertThat(r.part().received()).isEqualTo(100);
        assertThat(r.meanReceived()).isPositive();
    }

    @Test
    void aRunThatOnlyReceivesDividesByTheTimeUpToTheLastDelivery() throws Exception {
        String broker = "receive-only-" + System.nanoTime();
        assertThat(LoopbackRun.of().at(broker).sendOnly().count(500).execute().failures()).isEmpty();
        RunResult r = LoopbackRun.of().at(broker).receiveOnly().duration(1_500).execute();
        assertThat(r.received()).isEqualTo(500);
        assertThat(r.part().receivingSeconds()).isLessThan(1.4);
        assertThat(r.meanReceived()).isEqualTo(500 / r.part().receivingSeconds());
    }

    /** The counts that the summarizer publishes are no load. */
    @Test
    void aRunThatOnlyReceivesAndSummarizesDividesByTheSame() throws Exception {
        Groups run = new Groups();
        assertThat(LoopbackRun.of().at(run.url().substring("loopback://".length())).sendOnly().count(500).execute().failures()).isEmpty();
        run.duration = Duration.ofSeconds(4);
        RunResult r =
            run.consumers("c", c -> c.summarizer = new Summarizer(Destination.parse("topic://COUNTS"), Duration.ofMillis(100), null))
                .execute();
        assertThat(r.received()).isEqualTo(500);
        assertThat(r.part().receivingSeconds()).isLessThan(1);
    }

    /** Consumers may take seconds to open, for example where a consumer group assigns partitions. */
    @Test
    void aRunThatOnlyReceivesCountsItsDurationFromWhenItsConsumersAreOpen() throws Exception {
        LoopbackRun run = LoopbackRun.of().receiveOnly().consumers(2).warmup(1_000).duration(3_000);
        Driver slow = slowToOpen(run.driver(), run.clock(), 2_000_000_000L);
        RunResult r = run.over(slow).execute();
        assertThat(r.elapsed()).isBetween(Duration.ofMillis(7_000), Duration.ofMillis(7_200));
        assertThat(run.warmups).startsWith(true, true).endsWith(false);
    }

    /** Messages that arrive while the consumers are opened, one after the other, belong to the warm-up, which ends only after that. */
    @Test
    void whatARunReceivesBeforeAllItsConsumersAreOpenIsNotMeasured() throws Exception {
        String broker = "early-" + System.nanoTime();
        LoopbackRun run = LoopbackRun.of().at(broker);
        assertThat(run.sendOnly().count(500).execute().failures()).isEmpty();
        LoopbackRun receiving = LoopbackRun.of().at(broker).receiveOnly().consumers(2).warmup(1_000).duration(3_000);
        RunResult r = receiving.over(slowToOpen(receiving.driver(), receiving.clock(), 2_000_000_000L)).execute();
        assertThat(r.received()).isEqualTo(500);
        assertThat(r.part().received()).isZero();
    }

    private static Driver slowToOpen(Driver driver, Clock clock, long nanos) {
        return wrapped(Driver.class, driver, _ -> {}, answer -> !(answer instanceof Connection connection) ? answer
            : wrapped(Connection.class, connection, call -> {
                for (long end = clock.nanos() + nanos; call.equals("consumer") && clock.nanos() < end;) {
                    clock.park(end - clock.nanos());
                }
            }, made -> made));
    }

    private static <T> T wrapped(Class<T> type, T real, Consumer<String> before, UnaryOperator<Object> after) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, method, arguments) -> {
            before.accept(method.getName());
            try {
                return after.apply(method.invoke(real, arguments));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    @Test
    void aPhaseThatWasCutShortHasItsOwnLength() throws Exception {
        Groups run = new Groups();
        run.producers("p", p -> p.load = new Load.Constant(Rate.parse("100"))).consumers("c", c -> {})
            .phase(new Phase("short", Duration.ofMillis(200), Map.of()))
            .phase(new Phase("cut", Duration.ofSeconds(60), Map.of()))
            .phase(new Phase("never", Duration.ofSeconds(60), Map.of()));
        run.onInterval = i -> {
            if (i.phase().equals("cut")) {
                run.started().stop(0);
            }
        };
        List<PhaseResult> phases = run.execute().phases();
        assertThat(phases.get(0).seconds()).isEqualTo(0.2);
        assertThat(phases.get(1).seconds()).isBetween(0.01, 30.0);
        assertThat(phases.get(1).sentPerSecond()).isCloseTo(phases.get(1).sent() / phases.get(1).seconds(), within(1e-9));
        assertThat(phases.get(2).seconds()).isZero();
        assertThat(phases.get(2).sentPerSecond()).isNaN();
    }

    /** An interval counts no messages that were due after its end, however late the reporting thread counts. */
    @Test
    void theCountsOfAnIntervalFitItsLength() throws Exception {
        List<Interval> intervals = new ArrayList<>();
        // By number of messages: a load that ends by time leaves messages unsent if the machine stalls until half a second after its end.
        RunResult r = LoopbackRun.of().wallClock().rate("1000").count(1_500).interval(200).prepare(new CollectingObserver(intervals) {
            @Override
            public void interval(Interval interval) {
                super.interval(interval);
                if (intervals.size() == 2) {
                    sleep(350);
                }
            }
        }).execute();
        assertThat(intervals.stream().mapToLong(Interval::sent).sum()).isEqualTo(r.sent()).isEqualTo(1_500);
        long sent = 0;
        long received = 0;
        for (Interval i : intervals) {
            sent += i.sent();
            received += i.received();
            assertThat(sent).isLessThanOrEqualTo(i.elapsedNanos() / 1_000_000 + 1);
            assertThat(received).isLessThanOrEqualTo(i.elapsedNanos() / 1_000_000 + 1);
        }
        assertThat(intervals.stream().mapToDouble(Interval::seconds).max().orElseThrow()).isGreaterThan(0.3);
        for (int i = 1; i < intervals.size(); i++) {
            assertThat(intervals.get(i).startEpochNanos()).isEqualTo(intervals.get(i - 1).endEpochNanos());
        }
    }

    /** CPU time is measured from the end of the warm-up, at any point of an interval, to the end of sending, without the drain. */
    @ParameterizedTest
    @CsvSource(textBlock = """
        # case,                           warmup, rate, duration, interval, delay, messages, seconds
        no warm-up,                       0,      1000, 2000,     500,      0,     2000,     2
        ends with an interval,            1000,   5000, 3000,     1000,     0,     10000,    2
        ends within an interval,          1000,   5000, 3000,     1050,     0,     10000,    2
        shorter than an interval,         100,    1000, 500,      1000,     0,     400,      0.4
        a long drain,                     1000,   100,  3000,     1000,     2000,  200,      2
        nothing due at the end,           500,    1,    2500,     500,      0,     2,        2
        """)
    void cpuTimeIsTakenFromTheEndOfTheWarmUpToTheEndOfSending(String name, long warmup, String rate, long duration, long interval,
            long delay, long messages, double seconds) throws Exception {
        RunResult r =
            LoopbackRun.of().knobs("delay=" + delay + "ms").warmup(warmup).rate(rate).duration(duration).interval(interval).execute();
        assertThat((double) r.part().costMessages()).as(name).isCloseTo(messages, within(1 + messages / 100.0));
        assertThat(r.part().costSeconds()).as(name).isCloseTo(seconds, within(0.02));
    }

    @Test
    void cpuTimeIsTakenOverTheMessagesThatWereSentBetweenItsReadings() throws Exception {
        RunResult r;
        int tries = 0;
        do {
            r = LoopbackRun.of().wallClock().rate("1000").warmup(250).count(3_000).interval(200).execute();
            // If the machine stalls in the warm-up until all messages are due, the measured part takes no time. If it stalls between the
            // last message and the last reading, time passes for which no message was due.
        } while ((r.part().costSeconds() < 0.4 || Math.abs(r.part().costMessages() - 1000 * r.part().costSeconds()) > 100) && ++tries < 5);
        // By number of messages: those that a stalled machine leaves unsent at the end of a load by time would have no send delay.
        // Messages are counted at the readings of the CPU time, and no more are due between two readings than their distance permits,
        // except for late ones. These include messages that were due in the warm-up, many of which a thread that had no processor at the
        // end of the warm-up sends after it.
        double latest = r.part().times().get(Metric.SEND_DELAY).maxNanos() / 1e9;
        assertThat((double) r.part().costMessages()).isCloseTo(1000 * r.part().costSeconds(), within(100 + 2_000 * latest));
        assertThat(r.part().costSeconds()).isBetween(0.4, 120.0);
        assertThat(r.health().cpuMicrosPerMessage()).isCloseTo(r.health().cpuSeconds() * 1e6 / r.part().costMessages(), within(1e-6));
    }

    @Test
    void whatWasDueInTheWarmUpAndSentAfterItHasTimes() throws Exception {
        // The broker accepts 200 messages/s where 2,000/s are due: within two seconds it accepts those of the first 200 ms.
        RunResult r = LoopbackRun.of().rate("2000").warmup(1_000).duration(2_000).knobs("service-rate=200").maxPending(1).execute();
        assertThat(count(r.measured(), Metric.SEND_DELAY)).isZero();
        assertThat(r.part().isOverdue()).isTrue();
        assertThat(r.part().overdueSent()).isEqualTo(r.part().sent());
        assertThat(count(r.part().times(), Metric.SEND_DELAY)).isEqualTo(r.part().sent());
        assertThat(count(r.part().times(), Metric.RESPONSE)).isEqualTo(r.part().received());
        Distribution response = r.part().times().get(Metric.RESPONSE);
        assertThat(response.nanosAt(50)).as("they were due more than half a second before").isGreaterThan(500_000_000L);
    }

    @Test
    void aRunThatKeepsItsRateHasNothingOverdue() throws Exception {
        RunResult r = LoopbackRun.of().rate("1000").warmup(300).duration(1_000).execute();
        assertThat(r.part().overdueSent() + count(r.measured(), Metric.SEND_DELAY)).isEqualTo(count(r.part().times(), Metric.SEND_DELAY));
        assertThat(count(r.measured(), Metric.SEND)).isEqualTo(700);
    }

    private static long count(Map<Metric, Distribution> times, Metric metric) {
        Distribution d = times.get(metric);
        return d == null ? 0 : d.count();
    }

    /** The time of the start is set only when every sending thread runs, so no thread is started during the load. */
    @Test
    void noThreadIsStartedAfterTheFirstDueTime() throws Exception {
        AtomicInteger atFirstSend = new AtomicInteger();
        Driver driver = hooked(Driver.class, new LoopbackDriver(), () -> {
            // The other threads wait for the first one, since they could end while it counts.
            synchronized (atFirstSend) {
                if (atFirstSend.get() == 0) {
                    atFirstSend.set((int) Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().startsWith("brokermeter-sender-")).count());
                }
            }
        });
        // The last thread sends long after the first send.
        RunResult r = LoopbackRun.of().wallClock().over(driver).producers(8).threads(8).rate("20").count(8).execute();
        assertThat(r.sent()).isEqualTo(8);
        assertThat(atFirstSend.get()).isGreaterThanOrEqualTo(8);
    }

    /** Returns a proxy of an object that calls a hook before each send of the producers that are created from it. */
    private static <T> T hooked(Class<T> type, Object inner, Runnable hook) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, method, args) -> {
            if (method.getName().equals("send")) {
                hook.run();
            }
            try {
                Object result = method.invoke(inner, args);
                return result instanceof Connection ? hooked(Connection.class, result, hook)
                    : result instanceof Producer ? hooked(Producer.class, result, hook) : result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    /**
     * In the best of many runs the first message is not late. Guards against the start of a thread and its first system call after the
     * start of the run, which made it 14 ms late or more.
     */
    @Test
    void theFirstMessageIsNotLate() throws Exception {
        long best = Long.MAX_VALUE;
        long end = System.nanoTime() + 60_000_000_000L;
        for (int i = 0; best >= 5_000_000L && (i < 30 || System.nanoTime() < end); i++) {
            RunResult r = LoopbackRun.of().wallClock().rate("10").count(1).execute();
            best = Math.min(best, r.measured().get(Metric.SEND_DELAY).maxNanos());
        }
        assertThat(best).isLessThan(5_000_000L);
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static class CollectingObserver implements RunObserver {

        private final List<Interval> intervals;

        CollectingObserver(List<Interval> intervals) {
            this.intervals = intervals;
        }

        @Override
        public void interval(Interval interval) {
            intervals.add(interval);
        }
    }

    /** A burst in the first second of four; the second process has the consumer alone. */
    @Test
    void aProcessThatOnlyReceivesHasTheRateOfTheRun() throws Exception {
        Groups groups = new Groups();
        groups.duration = Duration.ofSeconds(4);
        RunPair pair = new RunPair(groups.producers("p", p -> p.load = Load.parse("bursts:100@1s/9s", 1)).consumers("c", c -> {}));
        pair.meeting.runClock = groups.clock::nanos;
        try (groups.clock) {
            pair.execute();
        }
        RunResult receiving = pair.runs.getLast().part().result();
        assertThat(receiving.part().received()).isEqualTo(100);
        assertThat(receiving.meanReceived()).isCloseTo(25, within(0.1));
    }
}
