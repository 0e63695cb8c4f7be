package io.brokermeter.trials.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.ForeignProcess;
import io.brokermeter.engine.run.FaultActor.Effect;
import io.brokermeter.engine.scenario.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 240, unit = TimeUnit.SECONDS)
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

    private static Process sleeping() throws IOException {
        return new ProcessBuilder("sleep", "300").start();
    }

    /** A pair whose processes are those of the machine; only what a fault asks of it is there. */
    private static Broker pair(Process... processes) {
        List<ForeignProcess> nodes = Stream.of(processes).map(process -> ForeignProcess.of(process.pid())).toList();
        return (Broker) Proxy.newProxyInstance(Broker.class.getClassLoader(), new Class<?>[] {Broker.class},
            (_, method, _) -> switch (method.getName()) {
                case "name" -> BrokerName.parse("artemis");
                case "nodes" -> nodes;
                default -> throw new UnsupportedOperationException(method.getName());
            });
    }

    private FaultMaker maker(Broker broker) {
        BrokerOptions options = BrokerOptions.defaults().withTopology("primary-backup");
        return new FaultMaker(new FaultTargets(broker.name(), options, List.of(), false, directory), broker, null);
    }

    @ParameterizedTest
    @ValueSource(strings = {"kill", "stop", "pause"})
    void ofAPairWhoseOtherHalfIsGoneTheLivingOneIsHitAndWhatIsGoneIsSaid(String action) throws Exception {
        Process gone = sleeping();
        Process living = sleeping();
        Fault fault = Fault.parse(action + " broker at 1s");
        Broker broker = pair(gone, living);
        try (FaultMaker maker = maker(broker)) {
            gone.destroyForcibly();
            assertThat(gone.waitFor(30, TimeUnit.SECONDS)).isTrue();

            Effect effect = maker.begin(1, fault);

            assertThat(effect.detail()).isEqualTo("pid " + living.pid() + "; gone already: pid " + gone.pid());
            if (action.equals("pause")) {
                assertThat(Files.readString(Path.of("/proc", Long.toString(living.pid()), "stat"))).contains(") T ");
                assertThat(maker.end(1, fault).detail()).isEqualTo("pid " + living.pid());
                living.destroyForcibly();
            }
            assertThat(living.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(() -> maker.begin(2, fault))
                .hasMessage("all its processes, pid " + gone.pid() + ", pid " + living.pid() + ", are gone already.");
        } finally {
            gone.destroyForcibly();
            living.destroyForcibly();
        }
    }

    @Test
    void whatEndsByItselfIsNotKilled() throws Exception {
        assertThat(stopped("trap 'exit 0' TERM", Duration.ofSeconds(50)).detail()).matches("pid \\d+");
    }
}
