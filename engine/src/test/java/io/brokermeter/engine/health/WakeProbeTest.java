package io.brokermeter.engine.health;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WakeProbeTest {

    @Test
    void measuresOnlyWhileItIsAskedTo() throws Exception {
        try (WakeProbe probe = new WakeProbe()) {
            probe.start();
            assertThat(probe.medianMicros()).isEqualTo(-1);
            probe.begin();
            while (probe.medianMicros() < 0) {
                Thread.sleep(10);
            }
            // More than a system call takes; the only measurement may include a stall of the machine, and the longest time that is kept is
            // one minute.
            assertThat(probe.medianMicros()).isBetween(0.5, 61e6);
            probe.begin();
            probe.freeze();
        }
    }

    @Test
    void closingEndsItsThreads() throws Exception {
        WakeProbe probe = new WakeProbe();
        probe.start();
        probe.close();
        awaitEndOfThreads();
    }

    /** A run may be over before its probe has connected. */
    @Test
    void nothingStartsOnceItIsClosed() throws Exception {
        WakeProbe probe = new WakeProbe();
        probe.close();
        probe.start();
        awaitEndOfThreads();
    }

    private static void awaitEndOfThreads() throws InterruptedException {
        while (Thread.getAllStackTraces().keySet().stream().anyMatch(thread -> thread.getName().startsWith("brokermeter-probe"))) {
            Thread.sleep(10);
        }
    }
}
