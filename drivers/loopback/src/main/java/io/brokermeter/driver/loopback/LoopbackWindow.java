package io.brokermeter.driver.loopback;

/** What is under way between an endpoint and its broker. Whoever uses it holds one lock. */
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
