package io.brokermeter.brokers.observe;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;

import org.jspecify.annotations.Nullable;

/** The heap of a JVM that was started for the run. Its host program answers on a socket in the broker's directory. */
final class HostSource extends FigureSource {

    private static final String SOCKET = "heap.sock";

    private final ObservedProcess process;
    private final Path path;
    private final Readings heap;
    private final Consumer<String> notice;
    private final ByteBuffer buffer = ByteBuffer.allocate(5 * Long.BYTES);
    private @Nullable SocketChannel channel;

    private HostSource(ObservedProcess process, Path path, LongUnaryOperator next, Readings heap, Consumer<String> notice) {
        super("broker-heap-" + process.pid(), next);
        this.process = process;
        this.path = path;
        this.heap = heap;
        this.notice = notice;
    }

    /** Creates a source for a process that runs a host program; returns null for any other. */
    static @Nullable HostSource of(ObservedProcess process, LongUnaryOperator next, Readings heap, Consumer<String> notice) {
        List<String> arguments = List.of(process.commandLine().split("\0"));
        int data = arguments.indexOf("--data") + 1;
        return data == 0 || data == arguments.size() ? null
            : new HostSource(process, Path.of(arguments.get(data), SOCKET), next, heap, notice);
    }

    @Override
    public boolean read() throws Hopeless {
        try {
            SocketChannel open = channel;
            if (open == null) {
                open = SocketChannel.open(UnixDomainSocketAddress.of(path));
                channel = open;
            }
            long now = System.nanoTime();
            open.write(buffer.clear().limit(1));
            buffer.clear();
            while (buffer.hasRemaining()) {
                if (open.read(buffer) < 0) {
                    throw new IOException("it ends");
                }
            }
            buffer.flip();
            heap.add(new Reading(now).set(ProcessFigure.HEAP_USED_BYTES, buffer.getLong())
                .set(ProcessFigure.HEAP_COMMITTED_BYTES, buffer.getLong())
                .set(ProcessFigure.HEAP_MAX_BYTES, buffer.getLong()).set(ProcessFigure.GC_COUNT, buffer.getLong())
                .set(ProcessFigure.GC_MILLIS, buffer.getLong()));
            return true;
        } catch (IOException | RuntimeException e) {
            release();
            if (isClosed() || ObservedProcess.of(process.pid()) == null) {
                // The source that watches the process reports that it is gone.
                throw new Hopeless();
            }
            notice.accept(JmxSource.subject(process) + " are not known, because " + path + " fails: " + e.getMessage());
            return false;
        }
    }

    @Override
    public void release() {
        SocketChannel open = channel;
        channel = null;
        try {
            if (open != null) {
                open.close();
            }
        } catch (IOException e) {
            // the other end is gone
        }
    }
}
