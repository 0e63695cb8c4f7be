package io.brokermeter.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Members in separate processes, which are killed and stopped. Measured times are only logged; the CPU usage of an idle member is also
 * verified.
 */
@Tag("slow")
class MemberProcessTest {

    @TempDir
    static Path directory;
    private static String key;

    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeAll
    static void makeKey() throws ClusterException {
        Path file = directory.resolve("key.p12");
        Credential.create(file);
        key = file.toString();
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable one : open.reversed()) {
            one.close();
        }
    }

    private MemberProcess agent(String name, int port) throws Exception {
        return keep(new MemberProcess(List.of(), "agent", name, String.valueOf(port), key));
    }

    private <T extends AutoCloseable> T keep(T one) {
        open.add(one);
        return one;
    }

    private Cluster coordinator(RecordingListener heard, int... ports) throws ClusterException {
        List<String> agents = new ArrayList<>();
        for (int port : ports) {
            agents.add("localhost:" + port);
        }
        return keep(Cluster.open(ClusterSettings.coordinator("c", "1.0", agents, false, Credential.read(Path.of(key))), heard));
    }

    private static void say(String what, long millis) {
        System.Logger log = System.getLogger(MemberProcessTest.class.getName());
        log.log(System.Logger.Level.INFO, what + ": " + millis + " ms");
    }

    @Test
    void whoIsKilledOrStoppedIsFoundOutAndMayComeBack() throws Exception {
        MemberProcess a = agent("a", 0);
        MemberProcess b = agent("b", 0);
        say("an agent is ready after", a.await("ready"));
        int portA = a.port();
        RecordingListener heard = new RecordingListener();
        coordinator(heard, portA, b.port());
        say("two agents have joined after", heard.await("two agents", h -> h.members.size() == 2));
        a.await("joined c");
        // The agent sees the coordinator a moment after the coordinator sees the agent, and must not be stopped before.
        b.await("joined c");

        a.process.destroyForcibly();
        say("killed, said after", heard.await("left a KILLED"));

        b.signal("STOP");
        say("stopped, said after", heard.await("left b SILENT"));
        b.signal("CONT");
        say("continued, there again after", heard.await("b again", h -> h.members.stream().anyMatch(one -> one.name().equals("b"))));
        b.line("left c ");

        agent("a2", portA);
        heard.await("joined a2");
    }

    @Test
    void agentsWaitForTheNextCoordinatorWhenTheirsIsKilledOrStopped() throws Exception {
        MemberProcess a = agent("a", 0);
        MemberProcess b = agent("b", 0);
        String[] agents = {"localhost:" + a.port(), "localhost:" + b.port()};
        MemberProcess c = keep(new MemberProcess(List.of(), "coordinator", "c", "-", key, agents[0], agents[1]));
        a.await("joined c");
        b.await("joined c");
        long killedAt = System.nanoTime();
        c.process.destroyForcibly();
        a.await("left c KILLED");
        b.await("left c KILLED");
        say("coordinator killed, known to both after", (System.nanoTime() - killedAt) / 1_000_000);
        MemberProcess d = keep(new MemberProcess(List.of(), "coordinator", "d", "-", key, agents[0], agents[1]));
        d.await("joined a");
        d.await("joined b");
        // The agents see the coordinator a moment after it sees them. An agent that is still joining when the coordinator is stopped never
        // reports that it left.
        a.await("joined d");
        b.await("joined d");
        long stoppedAt = System.nanoTime();
        d.signal("STOP");
        a.await("left d SILENT");
        b.await("left d SILENT");
        say("coordinator stopped, known to both after", (System.nanoTime() - stoppedAt) / 1_000_000);
        RecordingListener heard = new RecordingListener();
        coordinator(heard, a.port(), b.port());
        heard.await("two agents", h -> h.members.size() == 2);
        d.signal("KILL");
    }

    @Test
    void aMemberThatHasNothingToDoCostsLittle() throws Exception {
        assumeTrue(Files.exists(Path.of("/proc/self/stat")), "only Linux has /proc");
        MemberProcess a = agent("a", 0);
        RecordingListener heard = new RecordingListener();
        coordinator(heard, a.port());
        heard.await("joined a");
        // the JIT compiler uses CPU time at first, so the least value counts
        double least = Double.MAX_VALUE;
        for (int i = 0; i < 10 && least > 0.05; i++) {
            double before = a.cpuSeconds();
            long from = System.nanoTime();
            Thread.sleep(3_000);
            least = Math.min(least, (a.cpuSeconds() - before) / ((System.nanoTime() - from) / 1e9));
        }
        System.getLogger(MemberProcessTest.class.getName()).log(System.Logger.Level.INFO,
            "an idle agent takes " + least * 100 + " % of a CPU");
        assertThat(least).isLessThan(0.1);
        // It is a member, or will be again: a machine that stands still may have cut it off meanwhile.
        heard.member("a");
    }
}
