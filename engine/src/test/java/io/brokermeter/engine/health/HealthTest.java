package io.brokermeter.engine.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Known answers of the health of one process, and of several processes together. */
class HealthTest {

    @Test
    void whatOneProcessDoesNotKnowIsNotKnownOfAll() {
        Health known = Health.of(its -> {
            its.cpuSeconds = 2;
            its.residentBytes = 1_000;
        });
        Health both = Health.sum(Map.of("a", known, "b", known), true, 4, Schedule.NONE);
        assertThat(both.cpuSeconds()).isEqualTo(4);
        assertThat(both.cpuMicrosPerMessage()).isEqualTo(1e6);
        assertThat(both.residentBytes()).isEqualTo(2_000);

        Health partly = Health.sum(Map.of("a", known, "b", Health.UNKNOWN, "c", Health.UNKNOWN), true, 4, Schedule.NONE);
        assertThat(partly.cpuSeconds()).isEqualTo(-1);
        assertThat(partly.cpuMicrosPerMessage()).isNaN();
        assertThat(partly.residentBytes()).isEqualTo(-1);
    }

    /** Two processes with half of the rate each both miss it: of each kind of doubt, that of the worse process is reported. */
    @Test
    void aDoubtAboutOneOfSeveralProcessesHasItsName() {
        Finding.Doubt late = new Finding.NotSentInTime(0.8, 400, 500, new Finding.Reason(Finding.Blame.SLOW_BROKER, 0.9, null));
        Finding.Doubt late2 = new Finding.NotSentInTime(0.9, 450, 500, new Finding.Reason(Finding.Blame.SLOW_BROKER, 0.5, null));
        Health worse = doubtful(new Schedule(5_000, 1_000, 500, 400), late, new Finding.CpuStolen(3));
        Health better = doubtful(new Schedule(5_000, 500, 500, 450), late2);
        Health both = Health.sum(Map.of("a", better, "b", worse), true, 10_000, new Schedule(10_000, 1_500, 1_000, 850));
        assertThat(both.verdict().reasons()).containsExactly(new Finding.DoubtOfAgent("b", late),
            new Finding.DoubtOfAgent("b", new Finding.CpuStolen(3)));
        assertThat(both.verdict().reasons().getFirst().kind()).isEqualTo("not-sent-in-time");
        assertThat(Health.sum(Map.of("b", worse), false, 5_000, worse.schedule()).verdict()).isEqualTo(worse.verdict());
    }

    /** Two processes with half of the messages each, of which one was stopped for 16 ms each second: its messages are half of all. */
    @Test
    void theStallsOfOneProcessCountForItsShareOfTheMessages() {
        Histogram stops = new Histogram(1, 60_000_000_000L, 2);
        stops.recordValueWithCount(16_000_000, 10);
        Histogram none = new Histogram(1, 60_000_000_000L, 2);
        Health stopped = Health.of(its -> its.stalls = OwnStalls.of(stops, none, 5_000, 10));
        Health quiet = Health.of(its -> its.stalls = OwnStalls.of(none, none, 5_000, 10));
        Histogram times = new Histogram(1, 60_000_000_000L, 2);
        times.recordValueWithCount(10_000, 10_000);
        OwnStalls both = Health.sum(Map.of("a", stopped, "b", quiet), true, 10_000, Schedule.NONE).stalls();
        assertThat(stopped.stalls().floorMillis(times, 99, true)).isCloseTo(6, within(0.5));
        assertThat(both.floorMillis(times, 99, true)).isZero();
        assertThat(both.floorMillis(times, 99.5, true)).isCloseTo(6, within(0.5));
    }

    private static Health doubtful(Schedule schedule, Finding.Doubt... doubts) {
        return Health.of(its -> {
            its.schedule = schedule;
            its.verdict = new GeneratorVerdict.Doubtful(List.of(doubts));
        });
    }

    private static LoadFigures noLoad() {
        return LoadFigures.of(its -> {
            its.schedule = Schedule.NONE;
            its.lateness = new Histogram(1, 60_000_000_000L, 2);
            its.sendDelay = new Histogram(1, 60_000_000_000L, 2);
            its.response = new Histogram(1, 60_000_000_000L, 2);
            its.far = LoadFigures.Far.NONE;
            its.slackRefused = "";
        });
    }

    /** Sending threads end before the measured part does, and their CPU time must count nevertheless. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void whatAThreadDidThatHasEndedCounts() throws Exception {
        assumeThat(Proc.tasks().read()).as("a kernel that tells how threads are scheduled").isNotEmpty();
        try (HealthMonitor monitor = new HealthMonitor(Clock.SYSTEM)) {
            monitor.start();
            monitor.begin();
            Thread burner = Thread.ofPlatform().name("a-burning-thread").start(() -> {
                while (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() < 1_000_000_000L) {
                    Thread.onSpinWait();
                }
                monitor.threadEnds();
            });
            burner.join();
            monitor.freeze();

            assertThat(monitor.judge(noLoad()).host().busiestThread()).isEqualTo("a-burning-threa");
        }
    }

    /** The start takes longer than a run waits for it: what is read late is not the beginning of what is measured. */
    @Test
    void aStartThatIsLateDoesNotMoveTheBeginning() throws Exception {
        HeldUp clock = new HeldUp();
        try (HealthMonitor monitor = new HealthMonitor(clock)) {
            Thread start = Thread.ofPlatform().start(monitor::start);
            clock.awaitReading();
            monitor.begin();
            burn(200_000_000);
            clock.letGo.countDown();
            start.join();
            monitor.freeze();
            assertThat(monitor.judge(noLoad()).cpuSeconds()).isGreaterThan(0.15);
        }
    }

    @Test
    void theCpuTimeOfARunThatIsOverBeforeItsStartIsNotKnown() throws Exception {
        HeldUp clock = new HeldUp();
        try (HealthMonitor monitor = new HealthMonitor(clock)) {
            Thread start = Thread.ofPlatform().start(monitor::start);
            clock.awaitReading();
            monitor.freeze();
            clock.letGo.countDown();
            start.join();
            Health health = monitor.judge(noLoad());
            assertThat(health.cpuSeconds()).isEqualTo(-1);
            assertThat(health.cpuMicrosPerMessage()).isNaN();
            assertThat(health.verdict()).isInstanceOf(GeneratorVerdict.Sound.class);
        }
    }

    /** A measured part of nearly no length, in which nothing was measured: ticks of 10 ms make 196 % of a span of 5 ms. */
    @Test
    void aSpanThatIsTooShortHasNoShares() throws Exception {
        Standing clock = new Standing();
        try (HealthMonitor monitor = new HealthMonitor(clock)) {
            monitor.start();
            monitor.begin();
            burn(50_000_000);
            clock.now = 5_000_000;
            monitor.freeze();
            Health health = monitor.judge(noLoad());
            assertThat(health.machineBusyPercent()).isEqualTo(-1);
            assertThat(health.stealPercent()).isEqualTo(-1);
            assertThat(health.host().waitingPercent()).isEqualTo(-1);
            assertThat(health.host().busiestThread()).isEmpty();
            assertThat(health.verdict()).isInstanceOf(GeneratorVerdict.Sound.class);
            assertThat(health.cpuSeconds()).isGreaterThanOrEqualTo(0.03);
        }
    }

    private static void burn(long nanos) {
        long end = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() + nanos;
        while (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() < end) {
            Thread.onSpinWait();
        }
    }

    /** CPU time comes in hundredths of a second, so that of 40 ms may be 125 %. */
    @Test
    void ofATimeThatIsTooShortTheShareOfAProcessorIsNotKnown() {
        assertThat(Health.cpuPercent(0.05, 0.04)).isNaN();
        assertThat(Health.cpuPercent(-1, 1)).isNaN();
        assertThat(Health.cpuPercent(Double.NaN, 1)).isNaN();
        assertThat(Health.cpuPercent(0.05, 0.1)).isEqualTo(50);
    }

    /** The system's clock, of which a test replaces the readings. */
    private static class Readings extends Clock {

        @Override
        public long nanos() {
            return SYSTEM.nanos();
        }

        @Override
        public void park(long nanos) {
            SYSTEM.park(nanos);
        }

        @Override
        public void unpark(@Nullable Thread thread) {
            SYSTEM.unpark(thread);
        }

        @Override
        public Thread start(String name, Runnable task) {
            return SYSTEM.start(name, task);
        }

        @Override
        public void join(Thread thread, long nanos) {
            SYSTEM.join(thread, nanos);
        }
    }

    /** A clock that stands where a test sets it. */
    private static final class Standing extends Readings {

        volatile long now;

        @Override
        public long nanos() {
            return now;
        }
    }

    /** A clock whose first reading, by the thread that starts a monitor, takes as long as a test wants. */
    private static final class HeldUp extends Readings {

        private final AtomicBoolean first = new AtomicBoolean(true);
        private final CountDownLatch reached = new CountDownLatch(1);
        final CountDownLatch letGo = new CountDownLatch(1);

        void awaitReading() throws InterruptedException {
            assertThat(reached.await(60, TimeUnit.SECONDS)).isTrue();
        }

        @Override
        public long nanos() {
            if (first.getAndSet(false)) {
                reached.countDown();
                try {
                    letGo.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            return super.nanos();
        }
    }
}
