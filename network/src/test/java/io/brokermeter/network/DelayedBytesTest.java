package io.brokermeter.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

import org.junit.jupiter.api.Test;

class DelayedBytesTest {

    private static final long NOW = 1_000_000;

    /** Without this limit, the bytes in transit of many connections would exhaust the memory, and the proxy would fail. */
    @Test
    void withoutABlockItReadsNothingAndLooksAgainSoon() throws IOException {
        Blocks.Total total = new Blocks.Total(1, 2);
        Blocks blocks = new Blocks(total);
        Blocks others = new Blocks(total);
        try (SocketChannel source = SocketChannel.open(); SocketChannel sink = SocketChannel.open()) {
            DelayedBytes pipe = new DelayedBytes(source, sink, -1, NetworkRule.NONE, blocks, new Bottleneck(), 1);
            others.take();
            assertThat(pipe.room(NOW)).as("its first may be had though they are scarce").isPositive();
            ByteBuffer last = blocks.take();
            assertThat(pipe.room(NOW)).isZero();
            assertThat(pipe.next(false, NOW)).isBetween(NOW + 1_000_000, NOW + 20_000_000);
            blocks.give(last);
            assertThat(pipe.room(NOW)).isPositive();
            assertThat(pipe.next(true, NOW)).isEqualTo(DelayedBytes.NEVER);
        }
    }
}
