package io.brokermeter.engine.run.connect;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.ConsumerPlan;
import io.brokermeter.engine.plan.Group;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.plan.ProducerPlan;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.recording.ConnectTimes;
import io.brokermeter.engine.run.Failures;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.run.receive.Replier;
import io.brokermeter.engine.run.send.Sender;
import io.brokermeter.engine.scenario.Connecting;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a run with everything that is open on them, and the order in which it is closed. Used by one thread at a time; a
 * {@link GroupConnection} that is lost may be restored meanwhile by a thread of its own.
 */
public final class Connections {

    private final Plan plan;
    private final Share share;
    private final ConnectionListener listener;
    private final BooleanSupplier stopped;
    private final Failures failures;
    private final Clock clock;
    private final GroupConnection.Shared shared;
    /** The connections that the share uses, by number of the group and number of the connection in the group. */
    private final Map<Integer, SortedMap<Integer, GroupConnection>> links = new LinkedHashMap<>();
    private final List<Connection> replying = new ArrayList<>();
    private final List<Producer> replyProducers = new ArrayList<>();
    private final CreatedObjects created;
    private String broker = "";
    private @Nullable ConnectTimes connectTimes;
    private final AtomicInteger stepsOfClosing = new AtomicInteger();

    /** @param share the part of the plan that this process connects */
    public Connections(Plan plan, Share share, GroupConnection.Shared shared) {
        this.failures = shared.failures();
        this.clock = shared.clock();
        this.plan = plan;
        this.share = share;
        this.created = new CreatedObjects(plan, share);
        this.listener = shared.events();
        this.stopped = shared.state()::isStopping;
        this.shared = shared;
    }

    /**
     * Opens every connection of the share, those of consumers first, and spreads those of each group over its ramp. Where the run has a rate of
     * connections, all but the first of each group, which comes at once, come at that rate: what refuses the first refuses the run.
     */
    public void connect() throws RunFailure {
        Connecting how = plan.scenario().connecting();
        PacedConnects paced = how.rate() == null ? null : new PacedConnects(how.rate(), clock, stopped);
        int before = 0;
        for (Group group : plan.groups()) {
            BitSet used = share.connections(group);
            for (int i = 0; i < group.connections() && !used.isEmpty(); i++) {
                if (used.get(i)) {
                    GroupConnection link = new GroupConnection(group, i, how.source(before + i), shared);
                    if (paced == null || linksOf(group).isEmpty()) {
                        connect(link, paced);
                    } else {
                        paced.add(link, before + i);
                    }
                }
                pause(group.start().ramp(), i, group.connections());
            }
            before += group.connections();
        }
        if (paced != null) {
            connect(paced);
        }
    }

    private void connect(GroupConnection link, @Nullable PacedConnects paced) throws RunFailure {
        try {
            if (paced == null) {
                link.connect();
            } else {
                paced.connectNow(link);
            }
        } catch (Exception e) {
            throw unconnected(link, e);
        }
        linksOf(link.group()).put(link.number(), link);
    }

    private void connect(PacedConnects paced) throws RunFailure {
        PacedConnects.Failed failed = paced.run();
        paced.made().forEach(due -> linksOf(due.link().group()).put(due.link().number(), due.link()));
        connectTimes = paced.times();
        if (failed != null) {
            throw unconnected(failed.due().link(), failed.cause());
        }
        if (stopped.getAsBoolean()) {
            throw new RunFailure(new Finding.StoppedConnecting(), new InterruptedException());
        }
    }

    private RunFailure unconnected(GroupConnection link, Exception cause) {
        return failure(Finding.Step.CONNECT, ConnectionSettings.redacted(link.group().endpoint().settings().url()), cause);
    }

    /** Returns how long connections took that were made at a rate; null without one. */
    public @Nullable ConnectTimes connectTimes() {
        return connectTimes;
    }

    private SortedMap<Integer, GroupConnection> linksOf(Group group) {
        return links.computeIfAbsent(group.index(), g -> new TreeMap<>());
    }

    /** Returns a connection of a group by its number in the group. */
    private GroupConnection link(Group group, int number) {
        return Objects.requireNonNull(linksOf(group).get(number));
    }

    private Stream<GroupConnection> all() {
        return links.values().stream().flatMap(of -> of.values().stream());
    }

    /** Waits for the part of the ramp that follows one connection; fails when the run is stopped. */
    private void pause(Duration ramp, int index, int count) throws RunFailure {
        long until = clock.nanos() + (count < 2 || index == count - 1 ? 0 : ramp.toNanos() / (count - 1));
        long left;
        while ((left = until - clock.nanos()) > 0) {
            if (stopped.getAsBoolean()) {
                throw new RunFailure(new Finding.StoppedConnecting(), new InterruptedException());
            }
            clock.park(Math.min(left, 20_000_000));
        }
    }

    private Connection connect(Driver driver, ConnectionSettings settings) throws RunFailure {
        try {
            return driver.connect(settings, listener);
        } catch (Exception e) {
            throw failure(Finding.Step.CONNECT, ConnectionSettings.redacted(settings.url()), e);
        }
    }

    private RunFailure failure(Finding.Step step, Object subject, Exception cause) {
        return new RunFailure(new Finding.Broken(step, subject.toString(), failures.text(cause)), cause);
    }

    /** Makes sure that every destination of the share exists, through a connection of producers to it where the share has one. */
    public void declare() throws RunFailure {
        for (ProducerGroup group : plan.producers()) {
            declare(group, group.destinations());
        }
        for (ProducerGroup group : plan.requesters()) {
            declare(group, group.producers().stream().filter(share::has).map(Plan::replies).toList());
        }
        for (ConsumerGroup group : plan.consumers()) {
            declare(group, group.destinations());
        }
    }

    private void declare(Group group, List<Destination> destinations) throws RunFailure {
        if (linksOf(group).isEmpty()) {
            return;
        }
        GroupConnection link = linksOf(group).firstEntry().getValue();
        for (Destination destination : destinations) {
            try {
                created.declare(destination, link);
            } catch (Exception e) {
                throw failure(Finding.Step.DECLARE, destination, e);
            }
        }
        if (broker.isEmpty()) {
            broker = link.connection().broker();
        }
    }

    /** Returns what this share declared and created at the broker. */
    public CreatedObjects created() {
        return created;
    }

    /** Returns the number of messages that wait in a destination, from the first connection that can report it; empty when none can. */
    public OptionalLong depth(Destination destination) {
        for (Group group : plan.groups()) {
            SortedMap<Integer, GroupConnection> connections = linksOf(group);
            if (group.destinations().contains(destination) && !connections.isEmpty()
                && group.driver().capabilities(group.endpoint().settings()).contains(Capability.DEPTH)) {
                try {
                    OptionalLong depth = connections.firstEntry().getValue().connection().depth(destination);
                    if (depth.isPresent()) {
                        return depth;
                    }
                } catch (Exception e) {
                    // not known
                }
            }
        }
        return OptionalLong.empty();
    }

    public void open(Sender sender, ProducerGroup group) throws RunFailure {
        ProducerPlan p = sender.plan;
        try {
            link(group, p.connection()).open(sender, group.settings());
        } catch (Exception e) {
            throw failure(Finding.Step.OPEN_PRODUCER, p.destination(), e);
        }
    }

    /** Opens producers of replies for a replying consumer, one for each requester on its destination, on a connection of their own. */
    public void open(Replier replier, ConsumerPlan responder, ConsumerGroup group) throws RunFailure {
        Connection connection = connect(group.driver(), group.spec().endpoint().settings().withClientId(null)
            .withSource(plan.scenario().connecting().source(responder.index())));
        replying.add(connection);
        for (ProducerGroup requesters : plan.requesters()) {
            for (ProducerPlan requester : requesters.producers()) {
                if (requester.destinationIndex() == responder.destinationIndex()) {
                    Messages messages = requesters.spec().messages();
                    ProducerSettings settings = ProducerSettings.of(its -> {
                        its.persistent = messages.persistent();
                        its.envelopeProperty = Envelope.isBeside(messages);
                    });
                    Replier.Answers answers = replier.to(requester.index());
                    Producer producer = producer(connection, Plan.replies(requester), settings, answers);
                    replyProducers.add(producer);
                    answers.attach(producer);
                }
            }
        }
    }

    private Producer producer(Connection connection, Destination destination, ProducerSettings settings,
            SendListener listening) throws RunFailure {
        try {
            return connection.producer(destination, settings, listening);
        } catch (Exception e) {
            throw failure(Finding.Step.OPEN_PRODUCER, destination, e);
        }
    }

    /** Opens a consumer, and starts a thread that polls for it when its client needs that. */
    public void open(ConsumerPlan c, ConsumerGroup group, DeliveryListener listening) throws RunFailure {
        try {
            link(group, c.connection()).open(c, created.isKnown(c), listening);
        } catch (Exception e) {
            throw failure(Finding.Step.OPEN_CONSUMER, c.destination(), e);
        }
    }

    /** Returns whether a consumer was opened; a connection that is restored opens it anew. */
    public boolean isOpen(ConsumerPlan c, ConsumerGroup group) {
        return link(group, c.connection()).hasConsumer(c);
    }

    /** Creates a durable subscription by opening its consumer and closing it again. */
    public void makeKnown(ConsumerPlan c, ConsumerGroup group, DeliveryListener listening) throws RunFailure {
        Consumer consumer;
        try {
            consumer = link(group, c.connection()).connection().consumer(c.destination(), c.settings(), listening);
        } catch (Exception e) {
            throw failure(Finding.Step.OPEN_CONSUMER, c.destination(), e);
        }
        created.addKnown(c);
        try {
            consumer.close();
        } catch (Exception e) {
            throw failure(Finding.Step.LEAVE_SUBSCRIPTION, c.destination(), e);
        }
    }

    /** Returns names and versions of the client code that carries the connections of producers or of consumers. */
    public Set<String> clients(boolean producing) {
        Set<String> clients = new LinkedHashSet<>();
        for (Group group : producing ? plan.producers() : plan.consumers()) {
            for (Connection connection : linksOf(group).values().stream().map(GroupConnection::connection).toList()) {
                clients.add(connection.client().isEmpty() ? group.driver().client() : connection.client());
            }
        }
        return clients;
    }

    /** Returns the number of connections that were lost and are not restored. */
    public int lost() {
        return (int) all().filter(GroupConnection::isLost).count();
    }

    /**
     * Ends the attempts to restore lost connections.
     *
     * @return a failure for each connection that is not restored
     */
    public List<Finding.Failure> endRecovery() {
        List<Finding.Failure> missing = new ArrayList<>();
        all().forEach(link -> {
            Finding.Failure why = link.endRecovery();
            if (why != null) {
                missing.add(why);
            }
        });
        return missing;
    }

    /** Returns what the broker says it is; empty when it does not say. Asked before the load, since a closed connection cannot answer. */
    public String broker() {
        return broker;
    }

    /** Returns whether a connection of producers was lost and is not restored. */
    public boolean producersReconnect() {
        return links.entrySet().stream().filter(of -> plan.groups().stream()
            .anyMatch(group -> group instanceof ProducerGroup && group.index() == of.getKey()))
            .anyMatch(of -> of.getValue().values().stream().anyMatch(GroupConnection::isLost));
    }

    /** Returns the reason why the producers may be stalled, from the first client that knows one; empty when none does. */
    public String stallReason() {
        for (Producer producer : all().flatMap(link -> link.producers().stream()).toList()) {
            String reason = producer.stallReason();
            if (!reason.isBlank()) {
                return reason;
            }
        }
        return "";
    }

    /**
     * Closes everything, in the order that loses nothing: producers, consumers (which acknowledge their last deliveries), producers of
     * replies; then removes durable subscriptions and destinations created for the run, and closes the connections.
     *
     * @param removes whether to remove subscriptions and destinations: not when the broker is gone
     * @param consumersClosed runs when all consumers are closed and destinations still exist
     * @return failures of closing and removing; empty when there were none
     */
    public List<Finding.Failure> close(boolean removes, Runnable consumersClosed) {
        List<Finding.Failure> troubles = new ArrayList<>();
        all().flatMap(link -> link.producers().stream())
            .forEach(producer -> attempt(troubles, Finding.Step.CLOSE_PRODUCER, "", producer::close));
        all().forEach(link -> link.consumers()
            .forEach((consumer, destination) -> attempt(troubles, Finding.Step.CLOSE_CONSUMER, destination, consumer::close)));
        // Consumers may send replies until they are closed.
        replyProducers.forEach(producer -> attempt(troubles, Finding.Step.CLOSE_REPLYING_PRODUCER, "", producer::close));
        consumersClosed.run();
        if (removes) {
            created.removeSubscriptions(this::linksOf,
                (subject, remove) -> attempt(troubles, Finding.Step.REMOVE_SUBSCRIPTION, subject, remove));
            created.removeDestinations((subject, remove) -> attempt(troubles, Finding.Step.REMOVE_DESTINATION, subject, remove));
        }
        replying.forEach(connection -> attempt(troubles, Finding.Step.CLOSE_REPLYING_CONNECTION, "", connection::close));
        for (ProducerGroup group : plan.producers()) {
            linksOf(group).values()
                .forEach(link -> attempt(troubles, Finding.Step.CLOSE_PRODUCING_CONNECTION, "", link.connection()::close));
        }
        for (ConsumerGroup group : plan.consumers()) {
            linksOf(group).values()
                .forEach(link -> attempt(troubles, Finding.Step.CLOSE_CONSUMING_CONNECTION, "", link.connection()::close));
        }
        return troubles;
    }

    private void attempt(List<Finding.Failure> troubles, Finding.Step what, Object subject, CreatedObjects.Step closer) {
        try {
            closer.run();
        } catch (Exception | Error e) {
            // Whatever failed is reported, and does not keep the rest from being closed.
            troubles.add(new Finding.Broken(what, subject.toString(), failures.text(e)));
        }
        stepsOfClosing.incrementAndGet();
    }

    /** Counts as progress of closing a wait for other processes, so that the wait is not taken for a step that hangs. */
    public void waitsForOthers() {
        stepsOfClosing.incrementAndGet();
    }

    /**
     * Returns a number that grows with everything that {@link #close} has closed or removed, or failed to, and with each call of
     * {@link #waitsForOthers}. Any thread may call.
     */
    public int stepsOfClosing() {
        return stepsOfClosing.get();
    }
}
