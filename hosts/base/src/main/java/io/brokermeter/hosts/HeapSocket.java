package io.brokermeter.hosts;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reports heap use and garbage collection of this JVM on a Unix domain socket, which only this user can open: an agent
 * for JMX would listen on every network interface and load some hundred classes into the broker under test.
 *
 * <p>Each byte that a client sends is answered by five numbers of eight bytes: heap bytes used, committed and maximum,
 * the number of collection pauses, and the milliseconds spent in them.
 */
final class HeapSocket {

    /** Name of the socket in the broker's directory. */
    static final String NAME = "heap.sock";

    private HeapSocket() {}

    /** Starts to serve the socket on daemon threads. Does nothing if the path is too long for a socket (about 100 bytes). */
    static void open(Path path) {
        Thread.ofPlatform().daemon().name("heap-socket").start(() -> {
            try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                Files.deleteIfExists(path);
                server.bind(UnixDomainSocketAddress.of(path));
                while (true) {
                    SocketChannel client = server.accept();
                    Thread.ofPlatform().daemon().name("heap-client").start(() -> answer(client));
                }
            } catch (IOException e) {
                // whoever looks for the socket says that it is not there
            }
        });
    }

    private static void answer(SocketChannel client) {
        ByteBuffer question = ByteBuffer.allocate(1);
        ByteBuffer answer = ByteBuffer.allocate(5 * Long.BYTES);
        try (client) {
            while (client.read(question.clear()) > 0) {
                MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
                long pauses = 0;
                long millis = 0;
                for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
                    // Concurrent collectors have a bean for their pauses and one for their cycles.
                    if (!collector.getName().endsWith(" Cycles")) {
                        pauses += Math.max(0, collector.getCollectionCount());
                        millis += Math.max(0, collector.getCollectionTime());
                    }
                }
                answer.clear().putLong(heap.getUsed()).putLong(heap.getCommitted()).putLong(heap.getMax()).putLong(pauses)
                    .putLong(millis).flip();
                while (answer.hasRemaining()) {
                    client.write(answer);
                }
            }
        } catch (IOException e) {
            // the client is gone
        }
    }
}
