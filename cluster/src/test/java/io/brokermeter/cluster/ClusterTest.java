package io.brokermeter.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

import io.brokermeter.cluster.group.ListeningPort;
import io.brokermeter.contract.FreePorts;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several members in one process, over real sockets on the loopback interface. */
@Tag("slow")
class ClusterTest {

    @TempDir
    static Path directory;
    private static Credential key;
    private static Credential otherKey;

    private final List<Cluster> open = new ArrayList<>();

    @BeforeAll
    static void makeKeys() throws ClusterException {
        key = Credential.create(directory.resolve("key.p12"));
        otherKey = Credential.create(directory.resolve("other.p12"));
    }

    @AfterEach
    void closeAll() {
        open.reversed().forEach(Cluster::close);
    }

    private Cluster agent(String name, int port, @Nullable Credential credential, ClusterListener heard) throws ClusterException {
        return keep(Cluster.open(ClusterSettings.agent(name, Map.of("rack", "r" + name), "1.0", InetAddress.getLoopbackAddress(), port,
            credential), heard));
    }

    private Cluster coordinator(String name, @Nullable Credential credential, ClusterListener heard, int... ports) throws ClusterException {
        return coordinator(name, "1.0", credential, heard, ports);
    }

    private Cluster coordinator(String name, String version, @Nullable Credential credential, ClusterListener heard,
            int... ports) throws ClusterException {
        List<String> agents = new ArrayList<>();
        for (int port : ports) {
            agents.add("127.0.0.1:" + port);
        }
        return keep(Cluster.open(ClusterSettings.coordinator(name, version, agents, false, credential), heard));
    }

    private Cluster keep(Cluster cluster) {
        open.add(cluster);
        return cluster;
    }

    @Test
    void agentsThatWereThereFirstJoinAndTalk() throws Exception {
        RecordingListener a = new RecordingListener();
        RecordingListener b = new RecordingListener();
        RecordingListener c = new RecordingListener();
        int portA = agent("a", 0, key, a).address().getPort();
        int portB = agent("b", 0, key, b).address().getPort();
        Cluster coordinator = coordinator("c", key, c, portA, portB);
        c.await("two agents", heard -> heard.members.size() == 2);
        a.await("joined c");
        b.await("joined c");
        assertThat(coordinator.members()).extracting(Member::name).containsExactlyInAnyOrder("a", "b");
        Member first = c.member("a");
        assertThat(first.address()).isEqualTo("127.0.0.1:" + portA);
        assertThat(first.labels()).containsExactly(Map.entry("rack", "ra"));
        assertThat(first.processors()).isEqualTo(Runtime.getRuntime().availableProcessors());
        assertThat(coordinator.missing()).isEmpty();
        coordinator.send(first, "{\"hello\":\"a\"}");
        a.await("from c {\"hello\":\"a\"}");
        open.getFirst().send(a.member("c"), "{\"hello\":\"c\"}");
        c.await("from a {\"hello\":\"c\"}");
        coordinator.close();
        a.await("left c LEFT");
        b.await("left c LEFT");
        RecordingListener d = new RecordingListener();
        coordinator("d", key, d, portA, portB);
        d.await("two agents", heard -> heard.members.size() == 2);
    }

    @Test
    void eachAgentHasTheAddressOfTheCoordinatorThatItReaches() throws Exception {
        InetAddress six = InetAddress.getByName("::1");
        assumeTrue(NetworkInterface.getByInetAddress(six) != null, "there is no IPv6");
        RecordingListener c = new RecordingListener();
        int portA = agent("a", 0, key, new RecordingListener()).address().getPort();
        int portB = keep(Cluster.open(ClusterSettings.agent("b", Map.of(), "1.0", six, 0, key), new RecordingListener())).address()
            .getPort();
        Cluster coordinator = keep(Cluster.open(
            ClusterSettings.coordinator("c", "1.0", List.of("127.0.0.1:" + portA, "[::1]:" + portB), false, key), c));
        c.await("two agents", heard -> heard.members.size() == 2);
        assertThat(coordinator.addressTowards(c.member("a"))).isEqualTo(InetAddress.getByName("127.0.0.1"));
        assertThat(coordinator.addressTowards(c.member("b"))).isEqualTo(six);
    }

    @Test
    void aCoordinatorThatWasThereFirstCallsUntilAgentsCome() throws Exception {
        int[] ports = FreePorts.some(2);
        RecordingListener c = new RecordingListener();
        Cluster coordinator = coordinator("c", key, c, ports);
        awaitMissing(coordinator, "127.0.0.1:" + ports[0], "127.0.0.1:" + ports[0] + " has nobody who listens");
        agent("a", ports[0], key, new RecordingListener());
        c.await("joined a");
        Cluster b = agent("b", ports[1], key, new RecordingListener());
        c.await("joined b");
        b.close();
        c.await("left b LEFT");
        // The next connection attempt may already have replaced the first reason by the second.
        assertThat(coordinator.missing().get("127.0.0.1:" + ports[1])).containsAnyOf("b at 127.0.0.1:" + ports[1],
            "127.0.0.1:" + ports[1] + " has nobody who listens");
        agent("b again", ports[1], key, new RecordingListener());
        c.await("joined b again");
    }

    @Test
    void anAgentAtAnAddressOfIpv6IsCalledAsEverybodyWritesIt() throws Exception {
        InetAddress six = InetAddress.ofLiteral("::1");
        assumeTrue(NetworkInterface.getByInetAddress(six) != null, "needs the address ::1");
        Cluster a = keep(Cluster.open(ClusterSettings.agent("a", Map.of(), "1.0", six, 0, key), new RecordingListener()));
        int port = a.address().getPort();
        RecordingListener c = new RecordingListener();
        Cluster coordinator = keep(Cluster.open(ClusterSettings.coordinator("c", "1.0", List.of("[::1]:" + port), false, key), c));
        c.await("joined a");
        assertThat(coordinator.members()).singleElement().extracting(Member::address).isEqualTo("[" + six.getHostAddress() + "]:" + port);
    }

    @Test
    void withoutAKeyTheSameWorksOnLoopbackAlone() throws Exception {
        RecordingListener a = new RecordingListener();
        RecordingListener c = new RecordingListener();
        coordinator("c", null, c, agent("a", 0, null, a).address().getPort());
        c.await("joined a");
        a.await("joined c");
        assertThatThrownBy(() -> Cluster.open(ClusterSettings.agent("a", Map.of(), "1.0", InetAddress.getByName("0.0.0.0"), 0, null), a))
            .isInstanceOf(ClusterException.class).hasMessage("0.0.0.0 is not loopback, and without a key nothing listens beyond that");
        assertThatThrownBy(() -> Cluster.open(ClusterSettings.coordinator("c", "1.0", List.of("192.0.2.7"), false, null), c))
            .isInstanceOf(ClusterException.class).hasMessage("192.0.2.7 is not on this machine, and without a key nothing leaves it");
    }

    @Test
    void badInputIsOneSentence() {
        assertRefused("'a b' is no host or host:port", "a b");
        assertRefused("'127.0.0.1:99999' has no port from 1 to 65535", "127.0.0.1:99999");
        assertRefused("'127.0.0.1:x' has no port from 1 to 65535", "127.0.0.1:x");
        assertRefused("'[::1' is no [address] or [address]:port", "[::1");
        assertRefused("there is no host 'no-such-host.invalid'", "no-such-host.invalid");
        for (String agent : List.of("[fe80::1%1]:7801", "[fe80::1]")) {
            assertRefused(
                agent + " is an address of one link alone, and JGroups connects without the link; name the agent by another address",
                agent);
        }
        assertRefused("127.0.0.1:7800 stands twice among the agents", "127.0.0.1", "127.0.0.1:7800");
    }

    private static void assertRefused(String sentence, String... agents) {
        assertThatThrownBy(() -> Cluster.open(ClusterSettings.coordinator("c", "1.0", List.of(agents), false, key),
            new RecordingListener())).isInstanceOf(ClusterException.class).hasMessage(sentence);
    }

    @Test
    void aTakenPortIsSaid() throws Exception {
        int port = agent("a", 0, key, new RecordingListener()).address().getPort();
        assertThatThrownBy(() -> agent("b", port, key, new RecordingListener())).isInstanceOf(ClusterException.class)
            .hasMessageStartingWith("cannot listen on port " + port);
    }

    @Test
    void aClosedDoorLeavesItsPortToTheNext() throws Exception {
        ListeningPort listening = new ListeningPort(InetAddress.getLoopbackAddress(), 0, null, (_, _) -> {});
        for (int i = 0; i < 100; i++) {
            int port = listening.port();
            try (Socket caller = new Socket(InetAddress.getLoopbackAddress(), port)) {
                // The accepting thread has dropped the connection and waits for the next one.
                assertThat(readToEnd(caller)).isTrue();
            }
            listening.close();
            listening = new ListeningPort(InetAddress.getLoopbackAddress(), port, null, (_, _) -> {});
        }
        listening.close();
    }

    @Test
    void anotherVersionIsRefusedOnBothSides() throws Exception {
        RecordingListener a = new RecordingListener();
        RecordingListener c = new RecordingListener();
        int port = agent("a", 0, key, a).address().getPort();
        Cluster coordinator = coordinator("c", "1.1", key, c, port);
        c.await("refused VERSION: agent a at 127.0.0.1:" + port + " is version 1.0, and this coordinator is 1.1");
        PeerRefusal refusal = a.refusal(PeerRefusal.Reason.VERSION);
        assertThat(refusal.sentence()).matches("coordinator c at 127.0.0.1:\\d+ is version 1.1, and this agent is 1.0");
        assertThat(coordinator.members()).isEmpty();
        awaitMissing(coordinator, "127.0.0.1:" + port, "agent a at 127.0.0.1:" + port + " is version 1.0, and this coordinator is 1.1");
        coordinator.close();
        RecordingListener d = new RecordingListener();
        coordinator("d", key, d, port);
        d.await("joined a");
        assertThat(a.refusals).filteredOn(one -> one.reason() == PeerRefusal.Reason.VERSION).containsExactly(refusal);
    }

    @Test
    void aSecondCoordinatorIsToldByWhomAnAgentIsTakenAndGetsItAfterwards() throws Exception {
        RecordingListener a = new RecordingListener();
        RecordingListener c = new RecordingListener();
        RecordingListener d = new RecordingListener();
        int port = agent("a", 0, key, a).address().getPort();
        Cluster first = coordinator("c", key, c, port);
        c.await("joined a");
        coordinator("d", key, d, port);
        assertThat(d.refusal(PeerRefusal.Reason.TAKEN).sentence())
            .matches("agent a at 127.0.0.1:" + port + " works for coordinator c at 127.0.0.1:\\d+");
        first.send(c.member("a"), "1");
        a.await("from c 1");
        first.close();
        d.await("joined a");
        a.await("joined d");
    }

    @Test
    void anotherKeyIsRefusedAndSaidOnce() throws Exception {
        RecordingListener a = new RecordingListener();
        RecordingListener c = new RecordingListener();
        int port = agent("a", 0, key, a).address().getPort();
        Cluster coordinator = coordinator("c", otherKey, c, port);
        awaitMissing(coordinator, "127.0.0.1:" + port, "127.0.0.1:" + port + " has another key");
        a.await("refused STRANGER: refused a connection from 127.0.0.1, which has another key or none");
        RecordingListener d = new RecordingListener();
        coordinator("d", null, d, port);
        // repeated refusals do not fill the log
        RecordingListener e = new RecordingListener();
        coordinator("e", key, e, port);
        e.await("joined a");
        assertThat(a.refusals).filteredOn(refusal -> refusal.sentence().contains("another key")).hasSize(1);
        assertThat(coordinator.members()).isEmpty();
        assertThat(d.members).isEmpty();
    }

    @Test
    void whoIsSilentOrSpeaksNoTlsKeepsNobodyOut() throws Exception {
        RecordingListener a = new RecordingListener();
        RecordingListener c = new RecordingListener();
        int port = agent("a", 0, key, a).address().getPort();
        try (Socket silent = new Socket("127.0.0.1", port); Socket plain = new Socket("127.0.0.1", port)) {
            OutputStream out = plain.getOutputStream();
            out.write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            out.flush();
            coordinator("c", key, c, port);
            c.await("joined a");
            assertThat(readToEnd(plain)).isTrue();
            assertThat(readToEnd(silent)).isTrue();
            // Both refusals are reported.
            a.await("refused STRANGER: refused a connection from 127.0.0.1, which has no TLS 1.3");
            a.await("refused STRANGER: refused a connection from 127.0.0.1, which has nothing to say");
            // On a busy machine a handshake of the coordinator may be too late as well, which has a sentence of its own.
            assertThat(a.refusals).filteredOn(refusal -> !refusal.sentence().contains("another key or none")).hasSize(2);
        }
    }

    private static boolean readToEnd(Socket socket) {
        try {
            while (socket.getInputStream().read() >= 0) {
                // skips the TLS alert
            }
        } catch (IOException e) {
            // reset
            return true;
        }
        return true;
    }

    @Test
    void longMessagesArriveWholeAndInOrderAndTooLongOnesAreRefused() throws Exception {
        RecordingListener a = new RecordingListener();
        RecordingListener c = new RecordingListener();
        Cluster agent = agent("a", 0, key, a);
        Cluster coordinator = coordinator("c", key, c, agent.address().getPort());
        c.await("joined a");
        a.await("joined c");
        String text = "\u00e4\u20ac\ud83d\ude00x".repeat(1_000_000);
        for (int i = 0; i < 4; i++) {
            coordinator.send(c.member("a"), i + text, Duration.ofSeconds(60));
            agent.send(a.member("c"), i + text);
            agent.send(a.member("c"), "");
        }
        a.await("all", heard -> heard.texts.size() == 4);
        c.await("all", heard -> heard.texts.size() == 8);
        for (int i = 0; i < 4; i++) {
            assertThat(a.texts.get(i).equals(i + text)).isTrue();
            assertThat(c.texts.get(2 * i).equals(i + text)).isTrue();
            assertThat(c.texts.get(2 * i + 1)).isEmpty();
        }
        assertThatThrownBy(() -> agent.send(a.member("c"), "x".repeat(Cluster.LONGEST_MESSAGE + 1))).isInstanceOf(ClusterException.class)
            .hasMessage("a message of 33554433 bytes, and the longest may have 33554432");
    }

    @Test
    void aSlowCoordinatorHoldsNoAgentUpAndLosesNothing() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        RecordingListener a = new RecordingListener();
        RecordingListener c = new RecordingListener() {
            @Override
            public void message(Member from, String json) {
                try {
                    go.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                super.message(from, json);
            }
        };
        Cluster agent = agent("a", 0, key, a);
        Cluster coordinator = coordinator("c", key, c, agent.address().getPort());
        a.await("joined c");
        Member to = a.member("c");
        String megabyte = "m".repeat(1 << 20);
        int sent = 0;
        try {
            while (sent < 1_000) {
                agent.send(to, sent + megabyte);
                sent++;
            }
        } catch (ClusterException e) {
            assertThat(e).hasMessage("c at " + to.address() + " takes messages too slowly: 64 MiB wait for it");
        }
        // 64 MiB may wait in the agent, which is room for 63 messages if none has been sent yet. A further 4 MiB may wait in the
        // coordinator and 1 MiB in transit; messages that fit there may still be sent after the last message was refused.
        assertThat(sent).isBetween(63, 130);
        assertThat(agent.waiting(to.id())).isBetween(40L << 20, 64L << 20);
        assertThat(coordinator.members()).hasSize(1);
        go.countDown();
        int all = sent;
        c.await("all messages", heard -> heard.texts.size() == all);
        for (int i = 0; i < all; i++) {
            assertThat(c.texts.get(i).startsWith(i + "m")).isTrue();
        }
        agent.send(to, "more", Duration.ofSeconds(10));
        c.await("from a more");
    }

    /** The coordinator sees that an agent has joined a moment before the agent does. */
    @Test
    void whoLeavesAsSoonAsItJoinedSaysGoodbye() throws Exception {
        Cluster agent = agent("a", 0, key, new RecordingListener());
        RecordingListener c = new RecordingListener() {
            @Override
            public void joined(Member member) {
                super.joined(member);
                agent.close();
            }
        };
        coordinator("c", key, c, agent.address().getPort());
        c.await("left a LEFT");
    }

    @Test
    void nothingIsSentToWhoIsGone() throws Exception {
        RecordingListener a = new RecordingListener();
        RecordingListener c = new RecordingListener();
        Cluster agent = agent("a", 0, key, a);
        int port = agent.address().getPort();
        Cluster coordinator = coordinator("c", key, c, port);
        c.await("joined a");
        Member member = c.member("a");
        agent.close();
        c.await("left a LEFT");
        assertThatThrownBy(() -> coordinator.send(member, "1")).isInstanceOf(ClusterException.class)
            .hasMessage("a at 127.0.0.1:" + port + " is gone");
        assertThat(coordinator.waiting(member.id())).isZero();
    }

    @Test
    void whatWasSentBeforeTheEndArrives() throws Exception {
        // A stall of the machine may take longer than the two seconds for which an agent that leaves goes on sending.
        RecordingListener c = heardOfOneThatSendsAndLeaves();
        for (int again = 0; again < 4 && (c.texts.size() < 5 || !c.all.contains("left a LEFT")); again++) {
            c = heardOfOneThatSendsAndLeaves();
        }
        assertThat(c.texts).hasSize(5);
        assertThat(c.all).contains("left a LEFT");
    }

    private RecordingListener heardOfOneThatSendsAndLeaves() throws Exception {
        RecordingListener a = new RecordingListener();
        RecordingListener c = new RecordingListener();
        Cluster agent = agent("a", 0, key, a);
        Cluster coordinator = coordinator("c", key, c, agent.address().getPort());
        a.await("joined c");
        String megabyte = "m".repeat(1 << 20);
        for (int i = 0; i < 5; i++) {
            agent.send(a.member("c"), i + megabyte);
        }
        agent.close();
        c.await("the end of a", heard -> heard.all.stream().anyMatch(one -> one.startsWith("left a ")));
        coordinator.close();
        return c;
    }

    private static void awaitMissing(Cluster coordinator, String who, String sentence) throws InterruptedException {
        while (!sentence.equals(coordinator.missing().get(who))) {
            Thread.sleep(20);
        }
    }
}
