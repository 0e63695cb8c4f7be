package io.brokermeter.brokers;

import java.util.function.Consumer;

import org.eclipse.aether.transfer.AbstractTransferListener;
import org.eclipse.aether.transfer.TransferEvent;

/** Counts what is fetched and reports it, at most a few times a second. Safe for use by several threads. */
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

    /** From now on this number of files is fetched; the number of descriptors before them is not known. */
    synchronized void expect(int count) {
        expected = count;
        files = 0;
        bytes = 0;
    }

    /** Reports the last figures, if any were reported. */
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
