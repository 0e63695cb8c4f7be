package io.brokermeter.trials.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerNode;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.process.ForeignProcess;
import io.brokermeter.contract.Await;
import io.brokermeter.engine.run.faults.FaultActor.Effect;
import io.brokermeter.engine.scenario.Fault;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
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
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
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

    /** The first {@code sleep} is an orphan, so it cannot be found as a descendant of the command. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCommandIsEndedWithAllThatItHasStarted(boolean givesUp) throws Exception {
        FaultTargets targets = new FaultTargets(null, BrokerOptions.defaults(), List.of(), true, directory);
        Path pid = directory.resolve("pid");
        Fault fault = Fault.parse("run (sleep 300 & echo $! > pid.new; mv pid.new pid); sleep 300 at 1s for " + (givesUp ? "200s" : "1s"));
        try (FaultMaker maker = new FaultMaker(targets, null, null)) {
            maker.begin(1, fault);
            while (!Files.exists(pid)) {
                Thread.sleep(10);
            }
            ForeignProcess started = ForeignProcess.of(Long.parseLong(Files.readString(pid).strip()));
            if (givesUp) {
                maker.giveUp();
            } else {
                assertThatThrownBy(() -> maker.end(1, fault)).hasMessage("it did not end within 1.0 s, and was ended.");
            }
            assertThat(started.awaitExit(Duration.ofSeconds(120))).isTrue();
        }
    }

    /**
     * Guards against a process that remains and, when this JVM ends, kills whatever process group has the id of the command's group by
     * then.
     */
    @ParameterizedTest
    @ValueSource(strings = {"true", "sleep 300"})
    void nothingWaitsToKillACommandThatNobodyAwaited(String command) throws Exception {
        FaultTargets targets = new FaultTargets(null, BrokerOptions.defaults(), List.of(), true, directory);
        List<ProcessHandle> found = new ArrayList<>();
        try (FaultMaker maker = new FaultMaker(targets, null, null)) {
            String pid = maker.begin(1, Fault.parse("run " + command + " at 1s")).detail().replaceFirst("pid ", "");
            // The arguments are those of the parent before the child executes a program, and empty while it does, maybe several times.
            Await.until(() -> found.addAll(wills(pid)), () -> "no process waits for the end of " + pid);
        }
        assertThat(found).hasSize(1);
        found.getFirst().onExit().get(120, TimeUnit.SECONDS);
    }

    private static List<ProcessHandle> wills(String pid) {
        return ProcessHandle.current().children().filter(child -> child.info().arguments().map(List::of)
            .filter(words -> words.contains("brokermeter-will") && words.getLast().equals(pid)).isPresent()).toList();
    }

    private static Process sleeping() throws IOException {
        return new ProcessBuilder("sleep", "300").start();
    }

    /** Returns a pair of brokers with real processes, and only the methods that a fault calls. */
    private static Broker pair(Process... processes) {
        return pair(Stream.of(processes).map(process -> ForeignProcess.of(process.pid())).toList());
    }

    private static Broker pair(List<? extends BrokerNode> nodes) {
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
            assertThat(gone.waitFor(120, TimeUnit.SECONDS)).isTrue();

            Effect effect = maker.begin(1, fault);

            assertThat(effect.detail()).isEqualTo("pid " + living.pid() + "; gone already: pid " + gone.pid());
            if (action.equals("pause")) {
                Await.until(() -> isStopped(living), () -> "it runs");
                assertThat(maker.end(1, fault).detail()).isEqualTo("pid " + living.pid());
                living.destroyForcibly();
            }
            assertThat(living.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(() -> maker.begin(2, fault))
                .hasMessage("all its processes, pid " + gone.pid() + ", pid " + living.pid() + ", are gone already.");
        } finally {
            gone.destroyForcibly();
            living.destroyForcibly();
        }
    }

    /** Returns whether a process is stopped. The signal takes effect only when the process is scheduled. */
    private static boolean isStopped(Process process) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat")).contains(") T ");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a node whose process ends during the call of the method {@code when}. */
    private static BrokerNode ending(Process process, String when) {
        ForeignProcess node = ForeignProcess.of(process.pid());
        return (BrokerNode) Proxy.newProxyInstance(BrokerNode.class.getClassLoader(), new Class<?>[] {BrokerNode.class},
            (_, method, arguments) -> {
                if (method.getName().equals(when)) {
                    process.destroyForcibly();
                    process.waitFor();
                    throw new UncheckedIOException(new IOException("kill: no such process"));
                }
                if (method.getName().equals("role")) {
                    return BrokerNode.BROKER;
                }
                return method.invoke(node, arguments);
            });
    }

    @Test
    void whatEndsInTheMomentOfAPauseIsGoneAlreadyAndFailsNoFaultOfTheOther() throws Exception {
        Process gone = sleeping();
        Process living = sleeping();
        Fault fault = Fault.parse("pause broker at 1s");
        try (FaultMaker maker = maker(pair(List.of(ending(gone, "freeze"), ForeignProcess.of(living.pid()))))) {
            assertThat(maker.begin(1, fault).detail()).isEqualTo("pid " + living.pid() + "; gone already: pid " + gone.pid());
            assertThat(maker.end(1, fault).detail()).isEqualTo("pid " + living.pid());
        } finally {
            gone.destroyForcibly();
            living.destroyForcibly();
        }
        Process alone = sleeping();
        Process other = sleeping();
        try (FaultMaker maker = maker(pair(List.of(ending(alone, "freeze"), ending(other, "freeze"))))) {
            assertThatThrownBy(() -> maker.begin(1, fault)).hasMessage(
                "all its processes, pid " + alone.pid() + ", pid " + other.pid() + ", are gone already.");
        } finally {
            alone.destroyForcibly();
            other.destroyForcibly();
        }
    }

    /** Returns a node that records the calls of a fault if {@code takesFaults}, and otherwise fails to be frozen or filled. */
    private static BrokerNode of(Process process, boolean takesFaults, List<String> calls) {
        ForeignProcess node = ForeignProcess.of(process.pid());
        return (BrokerNode) Proxy.newProxyInstance(BrokerNode.class.getClassLoader(), new Class<?>[] {BrokerNode.class},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "freeze", "resume", "fill" -> {
                    String call = method.getName() + (arguments == null ? "" : " " + arguments[0]);
                    if (!takesFaults && !call.equals("resume")) {
                        throw new IllegalStateException("it cannot.");
                    }
                    if (call.equals("fill false") && !process.isAlive()) {
                        throw new BrokerException("its process is gone.");
                    }
                    if (takesFaults) {
                        calls.add(call);
                    }
                    yield method.getName().equals("fill") ? true : null;
                }
                case "role" -> BrokerNode.BROKER;
                case "equals" -> proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> method.invoke(node, arguments);
            });
    }

    /** The run continues, and a fault that was not made is never ended, so its first half must be undone at once. */
    @ParameterizedTest
    @ValueSource(strings = {"pause", "fill"})
    void whatOneOfTwoRefusesIsUndoneAtTheOther(String action) throws Exception {
        Process process = sleeping();
        List<String> calls = new CopyOnWriteArrayList<>();
        try (FaultMaker maker = maker(pair(List.of(of(process, true, calls), of(process, false, calls))))) {
            assertThatThrownBy(() -> maker.begin(1, Fault.parse(action + " broker at 1s"))).hasMessageContaining("it cannot.");

            assertThat(calls).isEqualTo(action.equals("pause") ? List.of("freeze", "resume") : List.of("fill true", "fill false"));
        } finally {
            process.destroyForcibly();
        }
    }

    /** Senders would wait until the end of the run for brokers that nobody freed. */
    @Test
    void aBrokerThatIsGoneLeavesTheDiskOfTheOtherNotFull() throws Exception {
        Process gone = sleeping();
        Process living = sleeping();
        List<String> calls = new CopyOnWriteArrayList<>();
        Fault fault = Fault.parse("fill broker at 1s for 1s");
        try (FaultMaker maker = maker(pair(List.of(of(gone, true, new CopyOnWriteArrayList<>()), of(living, true, calls))))) {
            maker.begin(1, fault);
            gone.destroyForcibly().waitFor();
            assertThat(maker.end(1, fault).detail()).isEqualTo("pid " + living.pid() + "; gone already: pid " + gone.pid());
            assertThat(calls).containsExactly("fill true", "fill false");
        } finally {
            gone.destroyForcibly();
            living.destroyForcibly();
        }
    }

    /** Returns a node whose process does not end when it is killed, for example in an uninterruptible wait for a disk. */
    private static BrokerNode staying(Process process) {
        ForeignProcess node = ForeignProcess.of(process.pid());
        return (BrokerNode) Proxy.newProxyInstance(BrokerNode.class.getClassLoader(), new Class<?>[] {BrokerNode.class},
            (_, method, arguments) -> switch (method.getName()) {
                case "kill" -> null;
                case "stop" -> false;
                case "role" -> BrokerNode.BROKER;
                default -> method.invoke(node, arguments);
            });
    }

    @ParameterizedTest
    @ValueSource(strings = {"kill", "stop", "restart"})
    void aProcessThatIsNotGoneIsNotSaidToBe(String action) throws Exception {
        Process process = sleeping();
        try (FaultMaker maker = maker(pair(List.of(staying(process), staying(process))))) {
            assertThatThrownBy(() -> maker.begin(1, Fault.parse(action + " broker at 1s")))
                .hasMessage("its process, pid " + process.pid() + ", was killed and is not gone yet.");
        } finally {
            process.destroyForcibly();
        }
    }

    /** Another process may have the pid by the time of the fault, so the pid alone must not decide. */
    @Test
    void aProcessThatAFaultNamesByItsNumberIsTheOneThatHadItAtTheBeginning() throws Exception {
        Process process = sleeping();
        Fault fault = Fault.parse("kill pid " + process.pid() + " at 1s");
        FaultTargets targets = new FaultTargets(null, BrokerOptions.defaults(), List.of(), true, directory);
        try (FaultMaker maker = new FaultMaker(targets, null, null).finding(List.of(fault))) {
            process.destroyForcibly();
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(() -> maker.begin(1, fault)).hasMessage("its process, pid " + process.pid() + ", is gone already.");
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void whatEndsByItselfIsNotKilled() throws Exception {
        assertThat(stopped("trap 'exit 0' TERM", Duration.ofSeconds(50)).detail()).matches("pid \\d+");
    }
}
