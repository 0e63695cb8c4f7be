package io.brokermeter.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class LinuxTest {

    private static final int MORE = 4 << 20;

    /** Guards against a thread that reads the kernel's answer to the concurrent call of another thread. */
    @Test
    void twoThreadsAreEachToldOfTheirOwnConnection() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel idle = SocketChannel.open(); SocketChannel busy = SocketChannel.open()) {
            int ofIdle = connect(idle, server);
            int ofBusy = connect(busy, server);
            try (SocketChannel reader = server.accept(); SocketChannel other = server.accept()) {
                SocketChannel taker = reader.getRemoteAddress().equals(busy.getLocalAddress()) ? reader : other;
                ByteBuffer block = ByteBuffer.allocate(1 << 16);
                for (int i = 0; i < MORE; i += block.capacity()) {
                    write(busy, block.clear());
                    read(taker, block.clear());
                }
                Callable<Boolean> isIdle = () -> always(ofIdle, 0, MORE - 1);
                Callable<Boolean> isBusy = () -> always(ofBusy, MORE / 2, Long.MAX_VALUE);
                try (var threads = Executors.newFixedThreadPool(2)) {
                    List<Boolean> right = new ArrayList<>();
                    for (Future<Boolean> each : threads.invokeAll(List.of(isIdle, isBusy))) {
                        right.add(each.get());
                    }
                    assertThat(right).containsOnly(true);
                }
            }
        }
    }

    private static boolean always(int descriptor, long least, long most) {
        for (int i = 0; i < 200_000; i++) {
            long told = Linux.advertised(descriptor);
            if (told < least || told > most) {
                return false;
            }
        }
        return true;
    }

    private static void write(SocketChannel to, ByteBuffer all) throws IOException {
        while (all.hasRemaining()) {
            to.write(all);
        }
    }

    private static void read(SocketChannel from, ByteBuffer all) throws IOException {
        while (all.hasRemaining()) {
            from.read(all);
        }
    }

    /** Connects a channel, and returns its descriptor, which is the one that refers to a socket with the ports of the channel. */
    private static int connect(SocketChannel channel, ServerSocketChannel server) throws IOException {
        channel.connect(server.getLocalAddress());
        String local = ":%04X".formatted(((InetSocketAddress) channel.getLocalAddress()).getPort());
        String remote = ":%04X".formatted(((InetSocketAddress) channel.getRemoteAddress()).getPort());
        OptionalInt descriptor;
        long end = System.nanoTime() + 60_000_000_000L;
        do {
            // The kernel delivers a long table in pieces, and lists a connection twice or not at all if others come or go meanwhile.
            Set<String> sockets = Stream.of("tcp", "tcp6").flatMap(table -> lines(Path.of("/proc/self/net", table)))
                .map(line -> line.trim().split("\\s+")).filter(fields -> fields[1].endsWith(local) && fields[2].endsWith(remote))
                .map(fields -> "socket:[" + fields[9] + "]").collect(Collectors.toSet());
            try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
                descriptor = all.filter(one -> sockets.contains(target(one)))
                    .mapToInt(one -> Integer.parseInt(one.getFileName().toString())).findFirst();
            }
        } while (descriptor.isEmpty() && System.nanoTime() - end < 0);
        return descriptor.orElseThrow();
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "";
        }
    }
}
