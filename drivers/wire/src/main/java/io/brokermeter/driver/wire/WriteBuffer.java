package io.brokermeter.driver.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import io.brokermeter.spi.AwakeDeadline;
import io.brokermeter.spi.Payload;
import org.jspecify.annotations.Nullable;

/**
 * The writing side of a connection. Threads append whole frames under the connection's lock; the thread that flushes writes the output of
 * all threads, outside that lock, so that a peer that does not read blocks the writer and never the reader. Two buffers take turns: one is
 * filled while the other is written. Large parts of a body that never change are not copied into them, but written from where they lie. A
 * failed write is remembered: no write follows it.
 */
public final class WriteBuffer {

    /** The capacity in bytes of a connection that sends little: there may be thousands. It doubles as often as needed. */
    private static final int INITIAL = 512;
    /** A larger buffer is given up with the first smaller write: it may have held a backlog, while large messages need it again at once. */
    private static final int KEPT = 4 * 1024 * 1024;
    /** The most bytes of one write call: small enough to tell a peer that reads slowly from one that does not read. */
    private static final int PIECE = 256 * 1024;
    /** The most buffers of one write call. */
    private static final int PARTS = 16;
    /** The fewest bytes that are written from where they lie: copying less costs no more than one buffer more in a write. */
    private static final int WORTHWHILE = 16 * 1024;
    /** The interval in nanoseconds at which it is looked whether other threads have written. */
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(1);

    private final Wire wire;
    private final ReentrantLock lock;
    private final ReentrantLock writer = new ReentrantLock();
    private Output filling = new Output();
    private Output writing = new Output();
    /** The buffers of the write in progress, and views of the pattern that they use; used under the writer's lock. */
    private final ByteBuffer[] parts = new ByteBuffer[PARTS];
    private final @Nullable ByteBuffer[] repeated = new ByteBuffer[PARTS];
    private @Nullable ByteBuffer repeatedOf;
    /** Number of bytes handed to a write so far; guarded by the connection's lock. */
    private long taken;
    private volatile int pending;
    private volatile long written;
    private volatile boolean broken;
    private volatile long writingSince;
    private volatile long lastWrite = System.nanoTime();

    /** @param lock the connection's lock, which guards the appended bytes */
    public WriteBuffer(Wire wire, ReentrantLock lock) {
        this.wire = wire;
        this.lock = lock;
    }

    /** Returns the buffer to append to, with room for {@code bytes} bytes. Call under the lock; {@link #appended()} ends the append. */
    public ByteBuffer room(int bytes) {
        ByteBuffer out = filling.bytes;
        return out.remaining() < bytes ? filling.grow(bytes) : out;
    }

    /**
     * Returns the buffer to append a message to, with room for {@code others} bytes and for what {@link #body} copies of a body that is
     * appended at once. Call under the lock; {@link #appended()} ends the append.
     */
    public ByteBuffer room(Payload payload, int others) {
        boolean lies = payload.pattern() != null && payload.length() >= WORTHWHILE;
        return room(lies ? others : Math.addExact(others, payload.length()));
    }

    /**
     * Appends {@code length} bytes of a body from byte {@code from} on, and returns the buffer to append to, with room for {@code bytes}
     * bytes more. What the body repeats is written from where it lies, if it is large. Call under the lock, after {@link #room}.
     */
    public ByteBuffer body(Payload payload, int from, int length, int bytes) {
        ByteBuffer pattern = payload.pattern();
        int copied = pattern == null ? length : Math.clamp(payload.patternFrom() - (long) from, 0, length);
        if (pattern == null || length - copied < WORTHWHILE) {
            return room(length + bytes).put(payload.bytes(), from, length);
        }
        ByteBuffer out = room(copied + bytes).put(payload.bytes(), from, copied);
        filling.refer(pattern, from + copied, length - copied);
        return out;
    }

    /** Returns whether all bytes from {@link #start()} on are in the buffer that {@link #room} returns. Call under the lock. */
    public boolean isWhole() {
        return filling.lying == 0;
    }

    /** Makes the appended bytes visible to the writing threads. Call under the lock. */
    public void appended() {
        pending = filling.appended();
    }

    /** Appends the first {@code length} bytes, which must be whole frames. Call under the lock. */
    public void append(byte[] frames, int length) {
        room(length).put(frames, 0, length);
        appended();
    }

    /**
     * Appends a non-negative number in decimal digits, without creating an object. {@link #room} must have been made for up to 19 digits.
     */
    public static ByteBuffer decimal(ByteBuffer out, long number) {
        int digits = 1;
        for (long rest = number; rest >= 10; rest /= 10) {
            digits++;
        }
        int end = out.position() + digits;
        long rest = number;
        for (int i = end - 1; i >= end - digits; i--) {
            out.put(i, (byte) ('0' + rest % 10));
            rest /= 10;
        }
        return out.position(end);
    }

    /** Returns the number of appended bytes that are not yet handed to a write. Any thread. */
    public int pending() {
        return pending;
    }

    /** Returns the position in the output stream of the first byte of the buffer that {@link #room} returns. Call under the lock. */
    public long start() {
        return taken;
    }

    /** Returns the position in the output stream behind everything appended so far. Call under the lock. */
    public long end() {
        return taken + filling.size();
    }

    /** Returns the number of bytes written so far. Any thread. */
    public long written() {
        return written;
    }

    /** Returns the {@link System#nanoTime()} of the end of the last write. Any thread. */
    public long lastWrite() {
        return lastWrite;
    }

    /** Returns the {@link System#nanoTime()} of the start or the last progress of the write in progress; 0 if there is none. Any thread. */
    public long writingSince() {
        return writingSince;
    }

    /** Returns the nanoseconds since the peer last took bytes of the write in progress; 0 if there is none. Any thread. */
    public long writingFor() {
        long since = writingSince;
        return since == 0 ? 0 : System.nanoTime() - since;
    }

    /**
     * Writes everything appended so far, or leaves it to the thread that is writing now. Blocks while the socket is full; closing the wire
     * aborts the write.
     *
     * @throws IOException if this write or an earlier one failed
     */
    public void flush() throws IOException {
        while (pending > 0 && writer.tryLock()) {
            try {
                write();
            } finally {
                writer.unlock();
            }
        }
    }

    /**
     * Blocks like {@link #flush()} until everything appended so far is written, by this thread or by others.
     *
     * @throws IOException if a write failed, on any thread
     */
    public void flushAll() throws IOException {
        long wanted;
        lock.lock();
        try {
            wanted = end();
        } finally {
            lock.unlock();
        }
        while (written < wanted) {
            writer.lock();
            try {
                write();
            } finally {
                writer.unlock();
            }
        }
        // write what other threads left to this one meanwhile
        flush();
    }

    /** Waits until other threads have written everything, or a write has failed. A stall of this process does not use up the limit. */
    void awaitOthers(long limitNanos) {
        AwakeDeadline deadline = new AwakeDeadline(limitNanos);
        while ((pending > 0 || writingSince != 0) && !broken && !deadline.isOver()) {
            LockSupport.parkNanos(LOOK);
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // under the writer's lock
    private void write() throws IOException {
        if (broken) {
            throw new IOException("a write failed before");
        }
        lock.lock();
        try {
            Output full = filling;
            filling = writing;
            writing = full;
            taken += full.size();
            pending = 0;
        } finally {
            lock.unlock();
        }
        int size = writing.size();
        // an interrupt would close the channel, and with it the other producers and consumers of the connection
        boolean interrupted = Thread.interrupted();
        writingSince = System.nanoTime() | 1;
        try {
            if (writing.count == 0) {
                writePieces(writing.bytes.flip(), size);
            } else {
                writeParts(writing);
            }
            written += size;
        } catch (IOException | RuntimeException e) {
            broken = true;
            throw e;
        } finally {
            lastWrite = System.nanoTime();
            writingSince = 0;
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            writing.clear(size);
        }
    }

    private void writePieces(ByteBuffer bytes, int size) throws IOException {
        for (int left = size; left > PIECE; left -= PIECE) {
            wire.write(bytes.limit(bytes.position() + PIECE));
            writingSince = System.nanoTime() | 1;
        }
        wire.write(bytes.limit(size));
    }

    /** Writes the bytes of the buffer and those that lie elsewhere, in their order, many with one call. */
    private void writeParts(Output output) throws IOException {
        int end = output.bytes.position();
        int at = 0;
        int slice = 0;
        while (at < end || slice < output.count) {
            int count = 0;
            int size = 0;
            while (count < PARTS && size < PIECE && (at < end || slice < output.count)) {
                int next = slice < output.count ? output.places[slice] : end;
                ByteBuffer part;
                if (at < next) {
                    int length = Math.min(next - at, PIECE - size);
                    part = output.view(count, at, length);
                    at += length;
                } else {
                    int from = output.starts[slice];
                    part = repeated(output.patterns[slice], count).clear().limit(from + output.lengths[slice]).position(from);
                    slice++;
                }
                parts[count++] = part;
                size += part.remaining();
            }
            wire.write(parts, count);
            writingSince = System.nanoTime() | 1;
        }
    }

    private ByteBuffer repeated(ByteBuffer pattern, int index) {
        if (repeatedOf != pattern) {
            repeatedOf = pattern;
            Arrays.fill(repeated, null);
        }
        ByteBuffer view = repeated[index];
        return view != null ? view : (repeated[index] = pattern.duplicate());
    }

    /** Appended bytes, with the places at which others follow that lie elsewhere. */
    private static final class Output {

        private static final int FEW = 16;

        private ByteBuffer bytes = ByteBuffer.allocateDirect(INITIAL);
        private final @Nullable ByteBuffer[] views = new ByteBuffer[PARTS];
        /** The sum of all lengths. */
        private int lying;
        private int count;
        /** What {@link #bytes} and {@link #count} were at the end of the last whole append. */
        private int wholeBytes;
        private int wholeCount;
        private ByteBuffer[] patterns = {};
        /** The positions in {@link #bytes} before which the slices belong, where they start in their patterns, and their lengths. */
        private int[] places = {};
        private int[] starts = {};
        private int[] lengths = {};

        int size() {
            return bytes.position() + lying;
        }

        int appended() {
            wholeBytes = bytes.position();
            wholeCount = count;
            return size();
        }

        ByteBuffer grow(int more) {
            long capacity = bytes.capacity();
            while (capacity - bytes.position() < more) {
                capacity *= 2;
            }
            try {
                return replace(ByteBuffer.allocateDirect(Math.toIntExact(capacity)).put(bytes.flip()));
            } catch (ArithmeticException | OutOfMemoryError e) {
                // nothing may stay of a frame that was begun
                bytes.clear().position(wholeBytes);
                while (count > wholeCount) {
                    lying -= lengths[--count];
                }
                throw e;
            }
        }

        private ByteBuffer replace(ByteBuffer by) {
            bytes = by;
            Arrays.fill(views, null);
            return by;
        }

        /** Appends bytes that repeat a pattern, those of a body from byte {@code from} on. */
        void refer(ByteBuffer pattern, int from, int length) {
            lying += length;
            for (int done = 0; done < length; count++) {
                if (count == places.length) {
                    int room = Math.max(FEW, 2 * count);
                    patterns = Arrays.copyOf(patterns, room);
                    places = Arrays.copyOf(places, room);
                    starts = Arrays.copyOf(starts, room);
                    lengths = Arrays.copyOf(lengths, room);
                }
                patterns[count] = pattern;
                places[count] = bytes.position();
                starts[count] = (from + done) % pattern.capacity();
                lengths[count] = Math.min(Math.min(length - done, PIECE), pattern.capacity() - starts[count]);
                done += lengths[count];
            }
        }

        ByteBuffer view(int index, int from, int length) {
            ByteBuffer view = views[index];
            if (view == null) {
                view = bytes.duplicate();
                views[index] = view;
            }
            return view.clear().limit(from + length).position(from);
        }

        /** Empties the output after {@code size} bytes of it were written. */
        void clear(int size) {
            int copied = size - lying;
            count = 0;
            lying = 0;
            wholeBytes = 0;
            wholeCount = 0;
            if (bytes.capacity() > KEPT && copied < KEPT) {
                replace(ByteBuffer.allocateDirect(INITIAL));
            } else {
                bytes.clear();
            }
        }
    }
}
