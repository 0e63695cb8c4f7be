package io.brokermeter.brokers;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;

import com.sun.management.OperatingSystemMXBean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class BrokerProbeTest {

    private final BrokerProbe probe = BrokerProbe.of(ProcessHandle.current().pid());

    @Test
    void countsTheCpuTimeThatTheJvmCounts() {
        OperatingSystemMXBean own = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long tick = 10_000_000;
        long before = own.getProcessCpuTime();
        long read = probe.cpuNanos().orElseThrow();
        long after = own.getProcessCpuTime();
        assertThat(read).isBetween(before - 3 * tick, after + 3 * tick);
    }

    @Test
    void readsTheMemoryThatIsResident() {
        assertThat(probe.residentBytes().orElseThrow()).isGreaterThan(20L << 20)
            .isLessThanOrEqualTo(probe.peakResidentBytes().orElseThrow());
    }

    @Test
    void isEmptyForAProcessThatIsGone() {
        BrokerProbe gone = BrokerProbe.of(Integer.MAX_VALUE);
        assertThat(gone.cpuNanos()).isEmpty();
        assertThat(gone.residentBytes()).isEmpty();
    }
}
