package io.brokermeter.cluster.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Server and client over real sockets. The agent's clock has a known offset and drift. */
@Tag("slow")
class ProbeTest {

    private static final byte[] KEY = "a key of this session, 32 bytes!".getBytes(StandardCharsets.US_ASCII);
    private static final long OFFSET = 5_000_000_000L;
    private static final double DRIFT = 20e-6;

    private final long zero = System.nanoTime();
    private final AtomicLong step = new AtomicLong();
    private final Queue<ClockEvent> events = new ConcurrentLinkedQueue<>();
    private ProbeServer server;

    @BeforeEach
    void start() throws IOException {
        server = ProbeServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), KEY);
    }

    @AfterEach
    void end() throws IOException {
        server.close();
    }

    private long agent(long coordinator) {
        return coordinator + OFFSET + step.get() + Math.round((coordinator - zero) * DRIFT);
    }

    private long agentsClock() {
        return agent(System.nanoTime());
    }

    /** Returns the time of the coordinator's clock at a time of the agent's clock. */
    private long coordinator(long agent) {
        return zero + Math.round((agent - OFFSET - step.get() - zero) / (1 + DRIFT));
    }

    private ProbeClient client(InetSocketAddress to) throws IOException {
        return ProbeClient.start(to, null, KEY, this::agentsClock, this::told);
    }

    /** Records an event. Silence is left out, since it is also reported if the machine stalls for ten seconds. */
    private void told(ClockEvent event) {
        if (!(event instanceof ClockEvent.Silent)) {
            events.add(event);
        }
    }

    private static boolean isAboutTheWay(ClockEvent event) {
        return event instanceof ClockEvent.OverTcp || event instanceof ClockEvent.OverUdp;
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(5);
        }
    }

    private void isTrue(Offset offset) {
        long truth = offset.at() - coordinator(offset.at());
        assertThat(Math.abs(offset.offset() - truth)).as("%s, truth %d", offset, truth).isLessThanOrEqualTo(offset.bound() + 2);
    }

    /** Asks until there are {@code answers} answers, and compares all estimates with the true values. */
    private void watch(ProbeClient client, int answers) throws InterruptedException {
        while (client.answers() < answers) {
            Offset offset = client.offset();
            ClockLine line = client.line();
            if (offset != null) {
                isTrue(offset);
            }
            if (line != null) {
                assertThat(Math.abs(line.coordinator() - coordinator(line.at()))).as("%s", line).isLessThanOrEqualTo(line.bound() + 2);
            }
            Thread.sleep(10);
        }
        for (ProbeClient.Told told : client.history()) {
            assertThat(Math.abs(told.offset() - (told.at() - coordinator(told.at())))).isLessThanOrEqualTo(told.bound() + 2);
        }
    }

    @Test
    void theOffsetIsFoundWithinItsBound() throws Exception {
        try (ProbeClient client = client(server.address())) {
            // The first ten answers take about 40 ms, and this thread may stall for longer.
            Offset early = client.offset();
            assertThat(early == null || client.answers() >= ProbeClient.LEAST_ANSWERS).as("%s", early).isTrue();
            assertThat(client.bound(client.since(), client.since())).isEmpty();
            watch(client, 150);
            assertThat(client.steps()).isEmpty();
            assertThat(client.history()).isNotEmpty();
            // The next second is also in the stretch, and the bound is computed again, so no second may end between the two looks.
            List<ProbeClient.Told> before;
            long bound;
            do {
                before = client.history();
                bound = client.bound(before.getLast().at(), before.getLast().at() + 1).orElseThrow();
            } while (!client.history().equals(before));
            assertThat(bound).isEqualTo(before.getLast().bound());
            // On a busy machine, answers may be so late that the client uses TCP for a while.
            await(() -> events.stream().reduce((_, latest) -> latest).filter(latest -> !(latest instanceof ClockEvent.OverUdp)).isEmpty());
        }
        assertThat(events).allMatch(ProbeTest::isAboutTheWay);
    }

    @Test
    void itWorksOverIpv6() throws Exception {
        InetAddress six = InetAddress.getByName("::1");
        assumeTrue(NetworkInterface.getByInetAddress(six) != null, "This machine has no IPv6.");
        try (ProbeServer there = ProbeServer.start(new InetSocketAddress(six, 0), KEY);
                ProbeClient client =
                    ProbeClient.start(there.address(), new InetSocketAddress(six, 0), KEY, this::agentsClock, this::told)) {
            watch(client, 40);
        }
    }

    @Test
    void aWayThatIsSlowerOutThanBackIsWithinTheBound() throws Exception {
        try (ImpairingRelay relay = new ImpairingRelay(server.address())) {
            relay.outMicros = 3_000;
            relay.backMicros = 200;
            relay.jitterMicros = 1_000;
            // A busy machine may not answer within a second, and answers over TCP do not have the delay.
            relay.tcp = false;
            try (ProbeClient client = client(relay.address())) {
                watch(client, 150);
                assertThat(client.offset().bound()).isGreaterThan(1_600_000);
            }
        }
    }

    @Test
    void whereUdpIsClosedItGoesByTcpUntilUdpIsBack() throws Exception {
        try (ImpairingRelay relay = new ImpairingRelay(server.address())) {
            relay.udp = false;
            try (ProbeClient client = client(relay.address())) {
                await(() -> !events.isEmpty());
                assertThat(events.remove()).isInstanceOf(ClockEvent.OverTcp.class);
                watch(client, 30);
                // A broken connection is replaced.
                relay.last.close();
                long before = client.answers();
                await(() -> client.answers() > before + 60);
                assertThat(events).isEmpty();
                relay.udp = true;
                await(() -> !events.isEmpty());
                assertThat(events.remove().sentence()).matches("The coordinator.s clock answers by UDP at .*:\\d+ again\\.");
                watch(client, (int) client.answers() + 20);
            }
        }
        // On a busy machine, answers may be so late that the client uses TCP for a while.
        assertThat(events).allMatch(ProbeTest::isAboutTheWay);
    }

    @Test
    void aStepIsToldAndItsSecondHasNoBound() throws Exception {
        try (ProbeClient client = client(server.address())) {
            watch(client, 100);
            long before = agentsClock();
            step.set(50_000_000);
            long stepped = agentsClock();
            await(() -> {
                events.removeIf(ProbeTest::isAboutTheWay);
                return !events.isEmpty();
            });
            assertThat(events.remove()).isInstanceOfSatisfying(ClockEvent.Stepped.class, event -> {
                assertThat(event.step().by() - 50_000_000).isBetween(-event.step().bound(), event.step().bound());
                assertThat(event.sentence()).startsWith("The clock of this agent or of the coordinator stepped by ");
            });
            assertThat(client.steps()).hasSize(1);
            assertThat(client.bound(before, stepped).orElseThrow()).isEqualTo(Long.MAX_VALUE);
            long after = agentsClock();
            await(() -> client.bound(after, after).orElse(Long.MAX_VALUE) < 50_000_000);
            isTrue(client.offset());
            ClockLine line = client.line();
            assertThat(Math.abs(line.coordinator() - coordinator(line.at()))).isLessThanOrEqualTo(line.bound() + 2);
        }
    }

    @Test
    void strangersGetNoWord() throws Exception {
        byte[] other = KEY.clone();
        other[0]++;
        try (ProbeClient client = ProbeClient.start(server.address(), null, other, this::agentsClock, this::told)) {
            await(() -> server.ignored() > 60);
            assertThat(client.answers()).isZero();
            assertThat(client.offset()).isNull();
            assertThat(client.line()).isNull();
            assertThat(server.answered()).isZero();
        }
        try (Socket socket = new Socket(server.address().getAddress(), server.address().getPort())) {
            socket.getOutputStream().write(new byte[200]);
            try {
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("reset");
            }
        }
        assertThatThrownBy(() -> ProbeServer.start(server.address(), new byte[15])).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ProbeServer.start(server.address(), KEY)).isInstanceOf(IOException.class)
            .hasMessageContaining("cannot be answered on");
    }

    /**
     * A request that is truncated, too long, changed, an answer or a repetition gets no answer; a valid one gets an answer of its own
     * length.
     */
    @Test
    void aRequestIsAnsweredOnceAndWithAsManyBytes() throws Exception {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            socket.connect(server.address());
            ProbeFrame frame = new ProbeFrame(KEY);
            frame.request(77, 5);
            byte[] right = Arrays.copyOf(frame.array(), ProbeFrame.SIZE);
            for (int i = 0; i < ProbeFrame.SIZE; i++) {
                byte[] changed = right.clone();
                changed[i] ^= 4;
                socket.send(new DatagramPacket(changed, changed.length));
            }
            for (int length : new int[] {1, 55, 57, 1_400}) {
                socket.send(new DatagramPacket(Arrays.copyOf(right, length), length));
            }
            frame.answer(1, () -> 2);
            socket.send(new DatagramPacket(frame.array(), ProbeFrame.SIZE));
            socket.send(new DatagramPacket(right, right.length));
            socket.send(new DatagramPacket(right, right.length));
            frame.request(77, 4);
            socket.send(new DatagramPacket(frame.array(), ProbeFrame.SIZE));
            for (long sequence : List.of(5L, 4L)) {
                DatagramPacket packet = new DatagramPacket(new byte[2_000], 2_000);
                socket.setSoTimeout(60_000);
                socket.receive(packet);
                assertThat(packet.getLength()).isEqualTo(ProbeFrame.SIZE);
                ProbeFrame answer = new ProbeFrame(KEY);
                System.arraycopy(packet.getData(), 0, answer.array(), 0, ProbeFrame.SIZE);
                assertThat(answer.isAnswer(ProbeFrame.SIZE, 77)).isTrue();
                assertThat(answer.isRequest(ProbeFrame.SIZE)).isFalse();
                assertThat(answer.sequence()).isEqualTo(sequence);
                assertThat(answer.sent()).isGreaterThanOrEqualTo(answer.received());
            }
            await(() -> server.answered() == 2);
            assertThat(server.ignored()).isEqualTo(ProbeFrame.SIZE + 4 + 1 + 1);
        }
    }

    @Test
    void numbersAreRememberedPerClient() {
        Replays replays = new Replays();
        assertThat(replays.first(1, 0)).isFalse();
        assertThat(replays.first(1, -3)).isFalse();
        assertThat(replays.first(1, 100)).isTrue();
        assertThat(replays.first(1, 100)).isFalse();
        assertThat(replays.first(1, 37)).isTrue();
        assertThat(replays.first(1, 36)).as("too old").isFalse();
        assertThat(replays.first(1, 163)).isTrue();
        assertThat(replays.first(1, 100)).isFalse();
        assertThat(replays.first(2, 100)).isTrue();
        assertThat(replays.first(1, 1_000)).isTrue();
        assertThat(replays.first(1, 999)).isTrue();
    }

    @Test
    void itLeavesNoThreadBehind() throws Exception {
        ProbeClient client = client(server.address());
        await(() -> client.line() != null);
        client.close();
        server.close();
        await(() -> Thread.getAllStackTraces().keySet().stream().noneMatch(thread -> thread.getName().startsWith("brokermeter-clock")));
        isTrue(client.offset());
    }

    @Test
    void aHostThatIsNotKnownIsRefused() {
        InetSocketAddress unknown = InetSocketAddress.createUnresolved("nowhere.invalid", 1);
        assertThatThrownBy(() -> client(unknown)).hasMessage("The host of the coordinator's clock, nowhere.invalid, is not known.");
    }
}
