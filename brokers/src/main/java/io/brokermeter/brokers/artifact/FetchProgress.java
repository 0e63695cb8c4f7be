package io.brokermeter.brokers.artifact;

import java.util.function.Consumer;

import org.eclipse.aether.transfer.AbstractTransferListener;
import org.eclipse.aether.transfer.TransferEvent;

/** Counts fetched files and bytes, and reports them, at most a few times per second. Safe for use by several threads. */
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

    /** Sets the number of files that are fetched from now on. The number of descriptors fetched before them is not known in advance. */
    synchronized void expect(int count) {
        expected = count;
        files = 0;
        bytes = 0;
    }

    /** Reports the last counts, if files were fetched. */
    synchronized void end() {
        if (expected > 0 && files > 0) {
            report();
        }
    }

    @Override
    public synchronized void transferProgressed(TransferEvent event) {
        bytes += event.getDataLength();
        reportAtTimes();
    }

    @Override
    public synchronized void transferSucceeded(TransferEvent event) {
        files++;
        reportAtTimes();
    }

    private void reportAtTimes() {
        if (System.nanoTime() - last >= PAUSE_NANOS) {
            report();
        }
    }

    private void report() {
        last = System.nanoTime();
        String what = "Fetching " + title;
        listener.accept(expected == 0 ? files == 0 ? what : what + ": " + files + (files == 1 ? " descriptor" : " descriptors")
            : what + ": " + files + " of " + expected + (expected == 1 ? " file, " : " files, ")
                + bytes / 1_000_000 + " MB");
    }
}
