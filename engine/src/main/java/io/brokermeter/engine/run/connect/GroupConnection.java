package io.brokermeter.engine.run.connect;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.plan.ConsumerPlan;
import io.brokermeter.engine.plan.Group;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.run.EventLog;
import io.brokermeter.engine.run.Failures;
import io.brokermeter.engine.run.RunState;
import io.brokermeter.engine.run.receive.Receiver;
import io.brokermeter.engine.run.send.Sender;
import io.brokermeter.engine.scenario.Recovery;
import io.brokermeter.engine.scenario.Units;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a group, with the producers and consumers that are open on it. Where the run has a {@link Recovery}, a connection that
 * its client gave up is restored, with its producers and consumers, by a thread of its own; the fate of messages that were in flight is
 * unknown then, and senders and receivers continue their counts. Otherwise the loss ends the run.
 *
 * <p>The run opens and closes the connection; any thread may report its loss.
 */
public final class GroupConnection {

    /**
     * The longest wait until sending threads have left the producers of a lost connection, in nanoseconds; closing the producer ends a send
     * that blocks longer.
     */
    private static final long LEAVE_WITHIN = 1_000_000_000L;
    /** The longest wait at the end for an attempt to connect that is under way, in nanoseconds. */
    private static final long END_WITHIN = 1_000_000_000L;

    /** The parts of a run that all its connections share. */
    public record Shared(EventLog events, Failures failures, RunState state, Clock clock, Polling polling, @Nullable Recovery recovery) {}

    private final Group group;
    private final int number;
    private final @Nullable String source;
    private final Shared run;
    private final List<Sending> sending = new CopyOnWriteArrayList<>();
    private final List<Taking> taking = new CopyOnWriteArrayList<>();
    private volatile @Nullable Connection connection;
    /** The listener of the connection in use; null while the connection is lost. Guarded by the monitor. */
    private @Nullable Heard current;
    private volatile @Nullable Thread recovering;
    /**
     * Number of attempts to restore the connection since its last loss, and the cause of the last failure. Recovering thread; other threads
     * when that has ended.
     */
    private int attempts;
    private String lastCause = "";
    /** Number of sends of unknown fate that were reported with earlier losses. Recovering thread. */
    private long unknownBefore;

    /** @param source address of this machine from which to connect; null for that which the system chooses */
    GroupConnection(Group group, int number, @Nullable String source, Shared run) {
        this.group = group;
        this.number = number;
        this.source = source;
        this.run = run;
    }

    /** A producer that is open on the connection. */
    private static final class Sending {

        private final Sender sender;
        private final ProducerSettings settings;
        private volatile Producer producer;

        Sending(Sender sender, ProducerSettings settings, Producer producer) {
            this.sender = sender;
            this.settings = settings;
            this.producer = producer;
        }
    }

    /** A consumer that is open on the connection. */
    private static final class Taking {

        private final ConsumerPlan plan;
        private final DeliveryListener listener;
        private volatile Consumer consumer;
        private volatile Polling.@Nullable Poller poller;

        Taking(ConsumerPlan plan, DeliveryListener listener, Consumer consumer) {
            this.plan = plan;
            this.listener = listener;
            this.consumer = consumer;
        }
    }

    /** Listens to one connection of a client; a loss that it reports is ignored once another connection has taken its place. */
    private final class Heard implements ConnectionListener {

        /** Cause of the loss; null as long as none was noted. Guarded by the monitor of the group connection. */
        private @Nullable Throwable gone;

        @Override
        public void lost(Throwable cause) {
            GroupConnection.this.lost(this, cause);
        }

        @Override
        public void interrupted(String cause) {
            sending.forEach(each -> each.sender.reports.doubt());
            run.events.interrupted(cause);
        }

        @Override
        public void resumed() {
            run.events.resumed();
        }

        @Override
        public void notice(String sentence) {
            run.events.notice(sentence);
        }
    }

    // ---- opening ----

    /** Connects for the first time. */
    void connect() throws Exception {
        Heard hears = new Heard();
        take(hears, connect(hears));
    }

    private Connection connect(Heard hears) throws Exception {
        return group.driver().connect(group.endpoint().settings().withClientId(group.clientId(number)).withSource(source), hears);
    }

    Group group() {
        return group;
    }

    int number() {
        return number;
    }

    Duration connectTimeout() {
        return group.endpoint().settings().connectTimeout();
    }

    private synchronized void take(Heard hears, Connection made) {
        connection = made;
        current = hears;
        if (hears.gone != null) {
            lost(hears, hears.gone);
        }
    }

    /** Returns whether the connection was lost and is not restored. */
    boolean isLost() {
        return connection != null && current() == null;
    }

    Connection connection() {
        Connection open = connection;
        if (open == null) {
            throw new IllegalStateException("The connection was not made.");
        }
        return open;
    }

    void open(Sender sender, ProducerSettings settings) throws Exception {
        Producer producer = connection().producer(sender.plan.destination(), settings, sender.reports);
        sending.add(new Sending(sender, settings, producer));
        sender.attach(producer);
    }

    /**
     * Opens a consumer, and starts a thread that polls for it when its client needs that. Fails where the connection is lost meanwhile and
     * is being restored, or was: what restores it opens only the consumers that it knows.
     *
     * @param resumes whether the run had opened the consumer before
     */
    void open(ConsumerPlan plan, boolean resumes, DeliveryListener listener) throws Exception {
        ConsumerSettings settings = resumes ? plan.settings().resumed() : plan.settings();
        Heard before = current();
        Consumer made = connection().consumer(plan.destination(), settings, listener);
        if (!keep(new Taking(plan, listener, made), before)) {
            quietly(made::close);
            throw new IllegalStateException("the connection is lost");
        }
    }

    /** Adds an open consumer, if the connection is still that on which it was opened. Returns whether it is. */
    private synchronized boolean keep(Taking opened, @Nullable Heard of) {
        if (of == null || of != current) {
            return false;
        }
        taking.add(opened);
        attend(opened, of);
        return true;
    }

    private synchronized @Nullable Heard current() {
        return current;
    }

    private void attend(Taking opened, @Nullable Heard of) {
        if (run.recovery != null && of != null && opened.listener instanceof Receiver receiver) {
            receiver.recoverBy(cause -> consumerFailed(of, opened.plan, cause));
        }
        run.polling.start(opened.consumer, opened.plan.index(), opened.listener, poller -> opened.poller = poller);
    }

    List<Producer> producers() {
        return sending.stream().map(each -> each.producer).toList();
    }

    /** Returns the consumers of the connection with their destinations, in the order in which they were opened. */
    Map<Consumer, Destination> consumers() {
        Map<Consumer, Destination> all = new LinkedHashMap<>();
        taking.forEach(each -> all.put(each.consumer, each.plan.destination()));
        return all;
    }

    boolean hasConsumer(ConsumerPlan plan) {
        return taking.stream().anyMatch(each -> each.plan.equals(plan));
    }

    // ---- loss ----

    private void consumerFailed(Heard hears, ConsumerPlan plan, Throwable cause) {
        if (run.state.isAtLeast(RunState.Stage.CLOSING)) {
            run.events.fatal(Finding.Step.CONSUMER, plan.destination().toString(), cause);
        } else {
            lost(hears, cause);
        }
    }

    private void lost(Heard hears, Throwable cause) {
        if (run.recovery == null || !run.state.isAtLeast(RunState.Stage.LOADING)) {
            sending.forEach(each -> each.sender.recovery.lost(cause));
            run.events.lost(cause);
            return;
        }
        Recovery recovery = run.recovery;
        synchronized (this) {
            if (hears.gone == null) {
                hears.gone = cause;
            }
            if (hears != current || run.state.isAtLeast(RunState.Stage.CLOSING)) {
                return;
            }
            current = null;
        }
        sending.forEach(each -> each.sender.recovery.suspend());
        lastCause = run.failures.text(cause);
        run.events.add(Event.Kind.INTERRUPTED, new Finding.ConnectionLost(name(), lastCause));
        recovering = run.clock.start("brokermeter-recover-" + group.index() + "-" + number, () -> recover(recovery, cause));
    }

    /** Returns the name of the group and the number of the connection in the group, from 1. */
    private String name() {
        return group.spec().name() + " " + (number + 1);
    }

    private void recover(Recovery recovery, Throwable cause) {
        try {
            makeAnew(recovery, cause);
        } catch (RuntimeException | Error e) {
            // Nobody else would restore the connection, or end the run.
            run.events.lost(e);
        }
    }

    private void makeAnew(Recovery recovery, Throwable cause) {
        long noticed = run.clock.nanos();
        while (!sending.stream().allMatch(each -> each.sender.recovery.isQuiesced()) && run.clock.nanos() - noticed < LEAVE_WITHIN) {
            run.clock.park(1_000_000);
        }
        closeLost();
        sending.forEach(each -> each.sender.reports.giveUpPending(cause));
        attempts = 0;
        while (goesOn()) {
            long began = run.clock.nanos();
            attempts++;
            try {
                Heard hears = reopen();
                long all = sending.stream().mapToLong(each -> each.sender.reports.givenUp.get()).sum();
                run.events.restored(new Finding.ConnectionRestored(name(), attempts, (run.clock.nanos() - noticed) / 1_000_000,
                    all - unknownBefore));
                unknownBefore = all;
                take(hears, connection());
                return;
            } catch (Exception e) {
                lastCause = run.failures.text(e);
                run.events.add(Event.Kind.ATTEMPT, new Finding.ReconnectFailed(name(), attempts, lastCause));
            }
            if (run.clock.nanos() - noticed >= recovery.limit().toNanos()) {
                // Neither name nor number of attempts: connections that fail alike have one finding.
                run.events.lost(run.failures.text(cause) + "; not restored within " + Units.text(recovery.limit())
                    + ", where the last attempt failed: " + lastCause);
                return;
            }
            long next = began + recovery.interval().toNanos();
            long left;
            while (goesOn() && (left = next - run.clock.nanos()) > 0) {
                run.clock.park(Math.min(left, 100_000_000));
            }
        }
    }

    private boolean goesOn() {
        return !run.state.isAtLeast(RunState.Stage.CLOSING) && !run.state.isAborted() && !run.events.isFatal();
    }

    /** Closes the lost connection with its producers and consumers. Errors are not reported: the loss has been reported. */
    private void closeLost() {
        for (Sending each : sending) {
            quietly(each.producer::close);
        }
        closeWithConsumers(connection());
    }

    private void closeWithConsumers(Connection old) {
        for (Taking each : taking) {
            Polling.Poller poller = each.poller;
            if (poller != null) {
                poller.stop();
            }
            quietly(each.consumer::close);
        }
        quietly(old::close);
    }

    private interface Closer {
        void close() throws Exception;
    }

    private static void quietly(Closer closer) {
        try {
            closer.close();
        } catch (Exception e) {
            // The connection was lost before.
        }
    }

    /** Restores the connection, consumers first, so that they miss nothing that is sent. */
    private Heard reopen() throws Exception {
        Heard hears = new Heard();
        Connection made = connect(hears);
        List<Producer> producers = new ArrayList<>();
        try {
            Set<Destination> destinations = new LinkedHashSet<>(consumers().values());
            sending.forEach(each -> destinations.add(each.sender.plan.destination()));
            for (Destination destination : destinations) {
                made.declare(destination);
            }
            for (Taking each : taking) {
                each.consumer = made.consumer(each.plan.destination(), each.plan.settings().resumed(), each.listener);
                each.poller = null;
                attend(each, hears);
            }
            for (Sending each : sending) {
                producers.add(made.producer(each.sender.plan.destination(), each.settings, each.sender.reports));
            }
            Throwable gone = goneAgain(hears);
            if (gone != null) {
                throw new IllegalStateException(run.failures.text(gone), gone);
            }
        } catch (Exception e) {
            producers.forEach(producer -> quietly(producer::close));
            closeWithConsumers(made);
            throw e;
        }
        connection = made;
        for (int i = 0; i < producers.size(); i++) {
            sending.get(i).producer = producers.get(i);
            sending.get(i).sender.recovery.replace(producers.get(i));
        }
        return hears;
    }

    private synchronized @Nullable Throwable goneAgain(Heard hears) {
        return hears.gone;
    }

    /**
     * Ends the attempts to restore the connection, when the run has nothing left to wait for.
     *
     * @return why the connection is not there; null when it is
     */
    Finding.@Nullable Failure endRecovery() {
        Thread thread = recovering;
        if (thread != null) {
            run.clock.unpark(thread);
            run.clock.join(thread, END_WITHIN);
            if (thread.isAlive()) {
                thread.interrupt();
            }
        }
        return current() != null ? null : new Finding.NotRestored(name(), attempts, lastCause);
    }
}
