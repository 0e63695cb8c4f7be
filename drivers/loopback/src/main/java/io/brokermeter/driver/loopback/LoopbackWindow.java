package io.brokermeter.driver.loopback;

/** The messages in flight between an endpoint and its broker. Not thread-safe; its users share a lock. */
final class LoopbackWindow {

    private final LoopbackSettings.Distance distance;
    private long messages;
    private long bytes;

    LoopbackWindow(LoopbackSettings.Distance distance) {
        this.distance = distance;
    }

    boolean hasRoom(long size) {
        return distance.hasRoom(messages, bytes, size);
    }

    void take(long size) {
        messages++;
        bytes += size;
    }

    void free(long size) {
        messages--;
        bytes -= size;
    }
}
