package io.brokermeter.proc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Known answers for texts as Linux prints them. */
class ProcTextTest {

    private static final String STATUS = """
        Name:\tjava
        State:\tS (sleeping)
        SigCgt:\t2000000181005ccf
        VmHWM:\t  512000 kB
        VmRSS:\t  498764 kB
        Threads:\t77
        voluntary_ctxt_switches:\t150
        nonvoluntary_ctxt_switches:\t545
        """;

    @Test
    void readsAProcessWhoseNameLooksLikeFields() {
        ProcText.Stat stat = ProcText.stat("4711 (a) R 1 (b) S 1 4711 4711 0 -1 4194560 98 0 0 0 250 125 9 9 20 0 77 0 2336076 "
            + "3133440 381 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
        assertThat(stat.name()).isEqualTo("a) R 1 (b");
        assertThat(stat.state()).isEqualTo('S');
        assertThat(stat.parent()).isEqualTo(1);
        assertThat(stat.cpuSeconds()).isEqualTo(3.75);
        assertThat(stat.waitedSeconds()).isCloseTo(0.18, within(1e-9));
        assertThat(stat.threads()).isEqualTo(77);
        assertThat(stat.startTicks()).isEqualTo(2336076);
        assertThat(stat.ended()).isFalse();
    }

    @Test
    void theTimeOfTheMachineIsCountedAsTheBeginsOfProcessesAre() {
        assertThat(ProcText.upTicks("350735.47 234388.90\n")).isEqualTo(35_073_547);
        assertThat(ProcText.upTicks("0.29 0.10\n")).isEqualTo(29);
    }

    @Test
    void namesTheFirstProcessor() {
        assertThat(ProcText.cpuModel("processor\t: 0\nmodel name\t: AMD EPYC: 7B13 \n\nprocessor\t: 1\nmodel name\t: other\n"))
            .contains("AMD EPYC: 7B13");
        assertThat(ProcText.cpuModel("processor\t: 0\nBogoMIPS\t: 50.00\n")).isEmpty();
    }

    @Test
    void readsTheControlGroupsOfAProcess() {
        assertThat("4:cpu,cpuacct:/box:1\n\n1:name=systemd:/\n0::/user.slice\n".lines().flatMap(line -> ProcText.group(line).stream()))
            .containsExactly(
                new ProcText.Group("cpu,cpuacct", "/box:1"), new ProcText.Group("name=systemd", "/"),
                new ProcText.Group("", "/user.slice"));
        assertThat(ProcText.group("0::/").stream()).singleElement().matches(ProcText.Group::isUnified);
    }

    @Test
    void aZombieHasEnded() {
        assertThat(ProcText.stat("1 (x) Z 1 1 1 0 -1 4 0 0 0 0 1 1 0 0 20 0 1 0 5 0 0 0").ended()).isTrue();
    }

    /**
     * Readings of Linux 6.18 with two processors, 4 s apart: 8 s in all, of which the kernel's samples of user and system time miss 0.57
     * s.
     */
    @Test
    void processorsAreBusyForTheTimeInWhichTheyWereNotIdle() {
        ProcText.Processors before = ProcText.processors("""
            cpu  1000 0 500 20000 10 0 7 30 0 0
            cpu0 500 0 250 10000 5 0 7 15 0 0
            cpu1 500 0 250 10000 5 0 0 15 0 0
            intr 1
            """);
        ProcText.Processors after = ProcText.processors("""
            cpu  1235 0 779 20162 11 0 73 34 0 0
            cpu0 600 0 400 10080 5 0 70 17 0 0
            cpu1 635 0 379 10082 6 0 3 17 0 0
            intr 9
            """);
        assertThat(before.idle()).isEqualTo(200.1);
        assertThat(before.count()).isEqualTo(2);
        assertThat(after.busyPercent(before, 4)).isCloseTo(79.625, within(1e-9));
        assertThat(after.stolenPercent(before, 4)).isCloseTo(0.5, within(1e-9));
        assertThatThrownBy(() -> ProcText.processors("intr 1\n")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void readsNumbersByTheirWholeKey() {
        assertThat(ProcText.kibibytes(STATUS, "VmRSS")).isEqualTo(498_764L * 1024);
        assertThat(ProcText.number(STATUS, "voluntary_ctxt_switches")).isEqualTo(150);
        assertThat(ProcText.number(STATUS, "nonvoluntary_ctxt_switches")).isEqualTo(545);
        assertThat(ProcText.number("read_bytes: 7\nwrite_bytes: 8\ncancelled_write_bytes: 9\n", "write_bytes")).isEqualTo(8);
        assertThat(ProcText.number("read_bytes: 7\n", "read_bytes")).isEqualTo(7);
        assertThat(ProcText.number(STATUS, "VmSwap")).isEqualTo(-1);
        assertThat(ProcText.number("", "VmSwap")).isEqualTo(-1);
    }

    @Test
    void knowsWhoWouldDieOfAnAttachRequest() {
        assertThat(ProcText.catchesQuit(STATUS)).isTrue();
        assertThat(ProcText.catchesQuit("Name:\tx\nSigCgt:\t0000000000000002\n")).isFalse();
        assertThat(ProcText.catchesQuit("Name:\tx\n")).isFalse();
    }

    @Test
    void readsListeningSocketsOfBothFamilies() throws Exception {
        Assumptions.assumeTrue(ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN);
        String four = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:F0B0 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1143 1 0000000098fe87d1 100 0 0 10 0
               1: 0100007F:F0B0 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 1144 1 0000000098fe87d1 20 4 30 10 -1
               2: 00000000:1628 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1145 1 0000000098fe87d1 100 0 0 10 0
            """;
        String six =
            """
                  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
                   0: 00000000000000000000000001000000:F0B1 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000   0        0 2001 1 0 100 0 0 10 0
                   1: 0000000000000000FFFF00000100007F:F0B2 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000   0        0 2002 1 0 100 0 0 10 0
                   2: 00000000000000000000000000000000:F0B3 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000   0        0 2003 1 0 100 0 0 10 0
                """;
        InetAddress loopback = InetAddress.getByName("127.0.0.1");
        List<ProcText.Listener> listeners = ProcText.listeners(four);
        assertThat(listeners).containsExactly(new ProcText.Listener(loopback, 61_616, 1000, 1143),
            new ProcText.Listener(InetAddress.getByName("0.0.0.0"), 5672, 0, 1145));
        assertThat(listeners.getFirst().serves(loopback, 61_616)).isTrue();
        assertThat(listeners.getFirst().serves(InetAddress.getByName("127.0.0.2"), 61_616)).isFalse();
        assertThat(listeners.getFirst().serves(loopback, 61_617)).isFalse();
        assertThat(listeners.getLast().serves(loopback, 5672)).isTrue();
        List<ProcText.Listener> others = ProcText.listeners(six);
        assertThat(others.getFirst().address()).isEqualTo(InetAddress.getByName("::1"));
        assertThat(others.get(1).serves(loopback, 0xF0B2)).as("a dual socket of the address 127.0.0.1").isTrue();
        assertThat(others.get(2).serves(loopback, 0xF0B3)).as("a dual socket of all addresses").isTrue();
    }

    /** Returns a line of /proc/net/tcp. */
    private static String connection(int number, int port, int inode) {
        return "  %2d: 0100007F:8C3A 0100007F:%04X 01 00000000:00000000 00:00000000 00000000     0        0 %d 1 0000000000000000 20 4 30 10 -1\n"
            .formatted(number, port, inode);
    }

    @Test
    void aConnectionThatTheKernelListsTwiceIsOne() {
        String table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
            + connection(0, 61_616, 7) + connection(1, 61_616, 8) + connection(2, 61_616, 7) + connection(3, 5_672, 10)
            + connection(4, 61_617, 11);
        assertThat(ProcText.connectionsTo(Set.of(61_616, 5_672), table)).containsExactlyInAnyOrder(7L, 8L, 10L);
    }

    @Test
    void theUsersOfANamespaceAreThoseOfAllRanges() {
        assertThat(ProcText.users("         0       1000          1\n")).isEqualTo(1);
        assertThat(ProcText.users("         0          0 4294967295\n")).isEqualTo(4_294_967_295L);
    }

    @Test
    void findsItsOwnSocketsAndItsOwnState() throws Exception {
        Assumptions.assumeTrue(Files.exists(Path.of("/proc/self/fd")), "this is not Linux");
        long pid = ProcessHandle.current().pid();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String tables = ProcText.read(Path.of("/proc/self/net/tcp"));
            assertThat(ProcText
                .listeners(tables + (Files.exists(Path.of("/proc/self/net/tcp6")) ? ProcText.read(Path.of("/proc/self/net/tcp6")) : "")))
                .filteredOn(listener -> listener.port() == server.getLocalPort())
                .anyMatch(listener -> ProcText.sockets(pid).contains(listener.inode()));
        }
        assertThat(ProcText.state(pid)).isIn('R', 'S');
        assertThat(ProcText.state(Integer.MAX_VALUE)).isEqualTo('?');
    }
}
