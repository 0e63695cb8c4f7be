package io.brokermeter.driver.jms;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import jakarta.jms.JMSException;
import jakarta.jms.Session;

/**
 * Finds out whether a broker keeps back messages that have a delivery delay: sends one message with a delay, then one without, and checks
 * which of them arrives first. On a machine that stood still the delay may have passed before anything arrived, which says nothing, so
 * that the trial is repeated.
 */
final class DelayTrial {

    private static final long DELAY_MILLIS = 1000;
    private static final long LIMIT_MILLIS = 3000;
    private static final int TRIES = 5;
    private static final String LATE = "late";

    private enum Outcome {
        AT_ONCE, KEPT_BACK, UNKNOWN
    }

    private final Session session;
    private final JmsConnection.Delay delay;
    private final LongSupplier clock;

    /**
     * @param session a session in which each received message is acknowledged
     * @param clock the time in nanoseconds
     */
    DelayTrial(Session session, JmsConnection.Delay delay, LongSupplier clock) {
        this.session = session;
        this.delay = delay;
        this.clock = clock;
    }

    /** Returns true if the broker delivers delayed messages at once, false if it keeps them back, or if that cannot be found out. */
    boolean deliversAtOnce() throws JMSException {
        for (int i = 0; i < TRIES; i++) {
            Outcome outcome = outcome();
            if (outcome != Outcome.UNKNOWN) {
                return outcome == Outcome.AT_ONCE;
            }
        }
        return false;
    }

    /** Makes one trial, on a queue of its own, since messages of the one before may still arrive. */
    private Outcome outcome() throws JMSException {
        var queue = session.createTemporaryQueue();
        var receiver = session.createConsumer(queue);
        var delayed = session.createProducer(queue);
        var late = session.createMessage();
        for (var property : delay.of(delayed, DELAY_MILLIS).entrySet()) {
            late.setLongProperty(property.getKey(), property.getValue());
        }
        late.setJMSType(LATE);
        long begin = clock.getAsLong();
        delayed.send(late);
        session.createProducer(queue).send(session.createMessage());
        var first = receiver.receive(LIMIT_MILLIS);
        boolean early = clock.getAsLong() - begin < TimeUnit.MILLISECONDS.toNanos(DELAY_MILLIS);
        if (first != null) {
            receiver.receive(LIMIT_MILLIS);
        }
        receiver.close();
        queue.delete();
        if (first == null) {
            return Outcome.UNKNOWN;
        }
        if (!LATE.equals(first.getJMSType())) {
            return Outcome.KEPT_BACK;
        }
        return early ? Outcome.AT_ONCE : Outcome.UNKNOWN;
    }
}
