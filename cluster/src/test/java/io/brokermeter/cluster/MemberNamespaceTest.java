package io.brokermeter.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A coordinator and three agents in four network namespaces. Each agent has a link to the coordinator and none to the other agents. The
 * namespaces have no names, so they are removed with the processes that hold them.
 */
@Tag("slow")
class MemberNamespaceTest {

    private static final int AGENTS = 3;

    @TempDir
    Path directory;

    private final List<Process> holders = new ArrayList<>();
    private final List<MemberProcess> members = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        members.reversed().forEach(MemberProcess::close);
        for (Process one : holders) {
            one.getOutputStream().close();
            assertThat(one.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void agentsThatReachTheCoordinatorAloneJoinAndOneThatIsCutOffIsFoundOutAndComesBack() throws Exception {
        for (int i = 0; i <= AGENTS; i++) {
            holders.add(namespace());
        }
        Path key = directory.resolve("key.p12");
        Credential.create(key);
        List<String> arguments = new ArrayList<>(List.of("coordinator", "c", "-", key.toString()));
        for (int i = 1; i <= AGENTS; i++) {
            connect(i);
            arguments.add("10.213." + i + ".2");
        }
        for (int i = 1; i < AGENTS; i++) {
            member(i, "agent", "a" + i, "7800", key.toString());
        }
        MemberProcess coordinator = member(0, arguments.toArray(String[]::new));
        member(AGENTS, "agent", "a" + AGENTS, "7800", key.toString());
        for (int i = 1; i <= AGENTS; i++) {
            coordinator.line("joined a" + i);
        }
        // The agent sees the coordinator a moment after the coordinator sees the agent.
        members.get(1).line("joined c");
        long cutAt = System.nanoTime();
        run(inside(0, "ip", "link", "set", "to2", "down"));
        coordinator.line("left a2 SILENT");
        System.getLogger(MemberNamespaceTest.class.getName()).log(System.Logger.Level.INFO,
            "cut, said after: " + (System.nanoTime() - cutAt) / 1_000_000 + " ms");
        members.get(1).line("left c SILENT");
        run(inside(0, "ip", "link", "set", "to2", "up"));
        coordinator.line("joined a2", 2);
        members.get(1).line("joined c", 2);
    }

    private MemberProcess member(int namespace, String... arguments) throws IOException {
        MemberProcess member = new MemberProcess(inside(namespace), arguments);
        members.add(member);
        return member;
    }

    /**
     * Creates a network namespace.
     *
     * @return a process in the namespace, which ends with its input
     */
    private static Process namespace() throws IOException {
        Process holder;
        try {
            holder = new ProcessBuilder("unshare", "--net", "sh", "-c", "echo made; read end").redirectErrorStream(true).start();
        } catch (IOException e) {
            assumeTrue(false, "there is no unshare: " + e.getMessage());
            throw e;
        }
        String said = holder.inputReader().readLine();
        assumeTrue("made".equals(said), "no network namespace may be made: " + said);
        return holder;
    }

    private void connect(int agent) throws Exception {
        run("ip", "link", "add", "name", "to" + agent, "netns", pid(0), "type", "veth", "peer", "name", "line", "netns", pid(agent));
        run(inside(0, "ip", "address", "add", "10.213." + agent + ".1/30", "dev", "to" + agent));
        run(inside(0, "ip", "link", "set", "to" + agent, "up"));
        run(inside(agent, "ip", "address", "add", "10.213." + agent + ".2/30", "dev", "line"));
        run(inside(agent, "ip", "link", "set", "line", "up"));
    }

    private String pid(int namespace) {
        return String.valueOf(holders.get(namespace).pid());
    }

    private List<String> inside(int namespace, String... command) {
        List<String> all = new ArrayList<>(List.of("nsenter", "--target", pid(namespace), "--net"));
        all.addAll(List.of(command));
        return all;
    }

    private static void run(String... command) throws Exception {
        run(List.of(command));
    }

    private static void run(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as("%s: %s", command, said).isZero();
    }
}
