package io.brokermeter.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

class NamespaceTest {

    private static final String HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode";

    /** A line of /proc/net/tcp. */
    private static String connection(int number, int port, int inode) {
        return "  %2d: 0100007F:8C3A 0100007F:%04X 01 00000000:00000000 00:00000000 00000000     0        0 %d 1 0000000000000000 20 4 30 10 -1"
            .formatted(number, port, inode);
    }

    @Test
    void aConnectionThatTheKernelListsTwiceIsOne() {
        Stream<String> table = Stream.of(HEAD, connection(0, 61_616, 7), connection(1, 61_616, 8), connection(2, 61_616, 7),
            connection(3, 61_616, 9), connection(4, 5_672, 10), connection(5, 61_617, 10));
        assertThat(Namespace.strays(table, Set.of(61_616, 5_672), Set.of("7", "8", "10"))).isEqualTo(3);
    }
}
