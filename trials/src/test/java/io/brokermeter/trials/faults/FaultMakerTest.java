package io.brokermeter.trials.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.engine.run.FaultActor.Effect;
import io.brokermeter.engine.scenario.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FaultMakerTest {

    @TempDir
    Path directory;

    private Effect stopped(String script, Duration limit) throws Exception {
        Process process = new ProcessBuilder("bash", "-c", script + "; echo ready; while :; do sleep 0.1; done").start();
        try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
            assertThat(said.readLine()).isEqualTo("ready");
            Fault fault = Fault.parse("stop pid " + process.pid() + " at 1s");
            FaultTargets targets = new FaultTargets(null, BrokerOptions.defaults(), List.of(), true, directory);
            Effect effect = new FaultMaker(targets, null, null, limit).begin(1, fault);
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(effect.detail()).startsWith("pid " + process.pid());
            return effect;
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void whatDoesNotEndByItselfIsKilledAndTheFaultIsMade() throws Exception {
        assertThat(stopped("trap '' TERM", Duration.ofSeconds(1)).detail())
            .containsPattern("^pid (\\d+); killed, since it did not end by itself within 1 s: pid \\1$");
    }

    @Test
    void whatACommandSaysIsItsOwnersAlone() throws Exception {
        FaultTargets targets = new FaultTargets(null, BrokerOptions.defaults(), List.of(), true, directory);
        Fault fault = Fault.parse("run echo said at 1s");
        try (FaultMaker maker = new FaultMaker(targets, null, directory)) {
            maker.begin(1, fault);
            assertThat(maker.end(1, fault).exitStatus()).isZero();
        }
        Path output = directory.resolve("fault-1.log");
        assertThat(output).content().isEqualTo("said\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(output))).isEqualTo("rw-------");
    }

    @Test
    void whatEndsByItselfIsNotKilled() throws Exception {
        assertThat(stopped("trap 'exit 0' TERM", Duration.ofSeconds(50)).detail()).matches("pid \\d+");
    }
}
