package io.brokermeter.engine.run.send;

import io.brokermeter.spi.Producer;
import org.jspecify.annotations.Nullable;

/**
 * How a producer gets over the loss of its connection and over sends that fail. A loss is noted by the thread that found it, the sending
 * thread stops as soon as it is in no call of the lost producer, and a recovering thread hands it another one.
 */
public final class SenderRecovery {

    private final Sender sender;
    private final SendLoop loop;
    private volatile @Nullable Throwable loss;
    /** While suspended, whether the sending thread knows, so that it is in no call of the old producer. Guarded by the monitor. */
    private boolean quiesced;
    /** The producer that replaces the lost one, until the sending thread takes it over. Guarded by the monitor. */
    private @Nullable Producer replacement;
    /** Used by the sending thread only. */
    private int failuresInRow;

    SenderRecovery(Sender sender, SendLoop loop) {
        this.sender = sender;
        this.loop = loop;
    }

    /** Stops sending until there is another producer, because the connection is lost. Called by the thread that found the loss. */
    public void suspend() {
        synchronized (this) {
            replacement = null;
            quiesced = false;
            sender.suspended = true;
        }
        loop.onConnectionLost();
    }

    /** Returns whether the sending thread knows that its producer is lost, and is in no call of it. */
    public synchronized boolean isQuiesced() {
        return quiesced || loop.finished();
    }

    /** Notes that the connection is lost and will not be restored: what is in flight stays so. May be called by any thread. */
    public void lost(Throwable cause) {
        loss = cause;
    }

    /** Returns the cause given to {@link #lost}: why the connection was lost for good; null when it was not. */
    public @Nullable Throwable loss() {
        return loss;
    }

    /** Sets the producer to go on with. Called by the recovering thread. */
    public void replace(Producer next) {
        synchronized (this) {
            replacement = next;
        }
        Thread waiting = loop.waiting;
        if (waiting != null) {
            loop.wake(waiting);
        }
    }

    /** Notes a loss, and takes over the new producer. Called by the sending thread, outside of all calls of its producer. */
    void noteLoss() {
        if (sender.suspended) {
            resumes();
        }
    }

    /** Notes the loss, and takes over the new producer where there is one. Returns whether there was; the sending thread calls. */
    synchronized boolean resumes() {
        quiesced = true;
        Producer next = replacement;
        if (next == null) {
            return false;
        }
        replacement = null;
        failuresInRow = 0;
        sender.resumeWith(next);
        return true;
    }

    /**
     * Notes a failure within a call of the producer. Returns for how long the next send is delayed, in nanoseconds: 1 ms more for each
     * failure in a row, so that a dead broker is not flooded.
     */
    long backOff() {
        failuresInRow = Math.min(failuresInRow + 1, 100);
        return failuresInRow * 1_000_000L;
    }

    /** Notes that a send has worked after one that failed. */
    void worksAgain() {
        failuresInRow = 0;
    }
}
