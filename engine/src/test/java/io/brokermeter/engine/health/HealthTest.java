package io.brokermeter.engine.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.lang.management.ManagementFactory;
import java.util.List;

import io.brokermeter.engine.pacing.Clock;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What is known of one process, and of several together. */
class HealthTest {

    @Test
    void whatOneProcessDoesNotKnowIsNotKnownOfAll() {
        Health known = Health.of(its -> {
            its.cpuSeconds = 2;
            its.residentBytes = 1_000;
        });
        Health both = Health.sum(List.of(known, known), 4, Schedule.NONE);
        assertThat(both.cpuSeconds()).isEqualTo(4);
        assertThat(both.cpuMicrosPerMessage()).isEqualTo(1e6);
        assertThat(both.residentBytes()).isEqualTo(2_000);

        Health partly = Health.sum(List.of(known, Health.UNKNOWN, Health.UNKNOWN), 4, Schedule.NONE);
        assertThat(partly.cpuSeconds()).isEqualTo(-1);
        assertThat(partly.cpuMicrosPerMessage()).isNaN();
        assertThat(partly.residentBytes()).isEqualTo(-1);
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

    /** Sending threads end before the measured part does. */
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
}
