package io.brokermeter.brokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;

import io.brokermeter.brokers.process.ChildProcess;
import io.brokermeter.brokers.process.StoppedProcess;
import io.brokermeter.proc.ProcText;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@Tag("slow")
@EnabledOnOs(OS.LINUX)
class FreezeTest {

    /** The signal goes to a process other than the one whose state is read, as if the latter waited for a disk and did not stop. */
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

    /** The state must be read once more after the limit, since a stall of the machine may have used up the whole limit. */
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

    /**
     * A shell that starts a program waits uninterruptibly until its child executes that program (vfork), which the child never does when it
     * is stopped before. Each of these stops meets that moment with a probability of about a third.
     */
    @Test
    void aProcessThatWaitsForAStoppedChildIsSaidToBeStopped() throws Exception {
        Process shell = new ProcessBuilder("setsid", "sh", "-c", "while :; do /bin/true; done").start();
        try {
            Path command = Path.of("/proc", Long.toString(shell.pid()), "cmdline");
            while (!ProcText.read(command).startsWith("sh")) {
                Thread.sleep(1);
            }
            StoppedProcess freeze = new StoppedProcess();
            for (int i = 0; i < 30; i++) {
                freeze.begin(-shell.pid(), shell.pid());
                freeze.end(() -> -shell.pid());
            }
        } finally {
            ChildProcess.signal("KILL", -shell.pid());
        }
    }
}
