package io.brokermeter.brokers;

import java.util.function.Consumer;

import org.eclipse.aether.transfer.AbstractTransferListener;
import org.eclipse.aether.transfer.TransferEvent;

/** Counts what is fetched and says so, a few times a second at most. Safe for use by several threads. */
final class FetchProgress extends AbstractTransferListener {

    private static final long PAUSE_NANOS = 200_000_000;

    private final String title;
    private final Consumer<String> listener;
    private int expected;
    private int files;
    private long bytes;
    private long last = System.nanoTime() - PAUSE_NANOS;

    FetchProgress(String title, Consumer<String> listener) {
        this.title = title;
        this.listener = listener;
    }

    /** What comes now are that many files; before, nobody knew how many descriptors there would be. */
    synchronized void expect(int count) {
        expected = count;
        files = 0;
        bytes = 0;
    }

    /** Says the last figures, when any were said. */
    synchronized void end() {
        if (expected > 0 && files > 0) {
            say();
        }
    }

    @Override
    public synchronized void transferProgressed(TransferEvent event) {
        bytes += event.getDataLength();
        sayAtTimes();
    }

    @Override
    public synchronized void transferSucceeded(TransferEvent event) {
        files++;
        sayAtTimes();
    }

    private void sayAtTimes() {
        if (System.nanoTime() - last >= PAUSE_NANOS) {
            say();
        }
    }

    private void say() {
        last = System.nanoTime();
        String what = "Fetching " + title;
        listener.accept(expected == 0 ? files == 0 ? what : what + ": " + files + (files == 1 ? " descriptor" : " descriptors")
            : what + ": " + files + " of " + expected + (expected == 1 ? " file, " : " files, ")
                + bytes / 1_000_000 + " MB");
    }
}
