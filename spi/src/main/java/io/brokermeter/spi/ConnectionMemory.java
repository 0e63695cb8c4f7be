package io.brokermeter.spi;

/**
 * The memory that a client takes for each of its connections, with a producer or consumer on it, so that a run whose connections do not
 * fit is refused before it connects. Measured, where a driver states it, as what 100 to 200 connections more took.
 *
 * @param heap bytes of the heap
 * @param direct bytes of buffers outside the heap
 * @param heapCopies how many times a connection holds its largest message in the heap at worst
 * @param directCopies the same outside the heap
 */
public record ConnectionMemory(int heap, int direct, int heapCopies, int directCopies) {

    /** What a driver takes that states nothing else. */
    public static final ConnectionMemory USUAL = new ConnectionMemory(64 << 10, 0, 2, 0);
    /** The two buffers of a socket that grow as needed, for drivers that read and write sockets themselves; they grow in powers of two. */
    public static final ConnectionMemory SOCKET = new ConnectionMemory(12 << 10, 3 << 10, 0, 3);

    /** Returns this memory with another amount of heap. */
    public ConnectionMemory withHeap(int bytes) {
        return new ConnectionMemory(bytes, direct, heapCopies, directCopies);
    }
}
