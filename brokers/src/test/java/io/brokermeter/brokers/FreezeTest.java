package io.brokermeter.brokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.brokermeter.proc.ProcText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class FreezeTest {

    /** The signal reaches another process than the one whose state is asked, as if a disk kept that from being stopped. */
    @Test
    void aProcessThatIsNotStoppedInTimeIsNotSaidToBeAndGoesOn() throws Exception {
        Process sleeper = new ProcessBuilder("sleep", "600").start();
        try {
            long self = ProcessHandle.current().pid();
            StoppedProcess freeze = new StoppedProcess();
            assertThatThrownBy(() -> freeze.begin(sleeper.pid(), self, Duration.ofMillis(50))).isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("Process " + self + " was not stopped within 0.05 s.");
            while (ProcText.state(sleeper.pid()) != 'S') {
                Thread.sleep(1);
            }
            freeze.begin(sleeper.pid(), sleeper.pid());
            assertThat(ProcText.state(sleeper.pid())).as("it can be tried again").isEqualTo('T');
            freeze.end(sleeper::pid);
        } finally {
            sleeper.destroyForcibly();
        }
    }

    /** As after a time in which the machine stood still. */
    @Test
    void aProcessThatIsFoundStoppedAtTheLimitIsSaidToBe() throws Exception {
        Process sleeper = new ProcessBuilder("sleep", "600").start();
        try {
            ChildProcess.signal("STOP", sleeper.pid());
            while (ProcText.state(sleeper.pid()) != 'T') {
                Thread.sleep(1);
            }
            StoppedProcess freeze = new StoppedProcess();
            freeze.begin(sleeper.pid(), sleeper.pid(), Duration.ZERO);
            freeze.end(sleeper::pid);
        } finally {
            sleeper.destroyForcibly();
        }
    }
}
