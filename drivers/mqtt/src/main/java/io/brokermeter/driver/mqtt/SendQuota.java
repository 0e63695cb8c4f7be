package io.brokermeter.driver.mqtt;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

import io.brokermeter.spi.failure.DriverException;

/**
 * The number of messages that a session may have in flight, which the broker's receive maximum bounds. Guarded by the session's lock.
 */
final class SendQuota {

    private final Session session;
    private int placesWanted;
    private volatile boolean senderWaits;

    SendQuota(Session session) {
        this.session = session;
    }

    /** Returns whether a sender waits until fewer messages are in flight. Any thread. */
    boolean isAwaited() {
        return senderWaits;
    }

    /** Makes room for the messages of another producer; {@code maxPending} is 0 for any number. */
    void add(int maxPending) throws IOException {
        placesWanted = Math.min(placesWanted + (maxPending == 0 ? InFlight.IDS : maxPending), InFlight.IDS);
        int wanted = Math.min(placesWanted * 2, session.receiveMaximum());
        if (wanted > session.inFlight().capacity() && session.inFlight().capacity() < InFlight.IDS) {
            grow(wanted);
        }
    }

    /** Waits until another message may be in flight; first writes the pending output. Call under the lock, which is released meanwhile. */
    void awaitRoom(long limitNanos, String what) throws IOException {
        long deadline = System.nanoTime() + limitNanos;
        while (session.inFlight().size() >= session.limit()) {
            session.check();
            // a thread that is writing now also writes what was appended meanwhile
            if (session.out.pending() > 0 && session.out.writingSince() == 0) {
                session.lock.unlock();
                try {
                    session.flush();
                } finally {
                    session.lock.lock();
                }
                continue;
            }
            senderWaits = true;
            try {
                if (session.inFlight().size() < session.limit()) {
                    break;
                }
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    throw new DriverException("The broker acknowledged no message on " + what + " for "
                        + TimeUnit.NANOSECONDS.toSeconds(limitNanos) + " s: receive maximum " + session.limit() + " reached.", null);
                }
                session.changed.awaitNanos(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new DriverException("Sending was interrupted.", e);
            } finally {
                senderWaits = session.lock.hasWaiters(session.changed);
            }
        }
    }

    /**
     * Replaces the ring by a larger one. The reader uses the old one while messages are in flight, so this waits until there are none, and
     * gives up after the request timeout. Call under the lock.
     */
    private void grow(int wanted) throws IOException {
        long deadline = System.nanoTime() + session.requestLimitNanos();
        while (session.inFlight().size() > 0 && System.nanoTime() < deadline) {
            session.check();
            if (session.out.pending() > 0) {
                session.help();
            }
            try {
                senderWaits = true;
                session.changed.await(50, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } finally {
                senderWaits = session.lock.hasWaiters(session.changed);
            }
        }
        if (session.inFlight().size() == 0) {
            session.replaceInFlight(wanted);
        }
    }
}
