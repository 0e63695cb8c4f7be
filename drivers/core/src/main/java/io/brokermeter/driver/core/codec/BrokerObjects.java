package io.brokermeter.driver.core.codec;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;

import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.failure.DriverException;
import org.apache.activemq.artemis.jms.client.ActiveMQDestination;
import org.jspecify.annotations.Nullable;

/** The broker's queues and addresses, as requests on a session of the connection's own, and its version. Blocks like every request. */
final class BrokerObjects {

    private static final Pattern VERSION = Pattern.compile("\\[\"(\\d[^\"]*)\"]");

    private final CodecConnection connection;
    private final CoreChannel control;
    private @Nullable String broker;

    BrokerObjects(CodecConnection connection, CoreChannel control) {
        this.connection = connection;
        this.control = control;
    }

    /**
     * What a consumer receives from.
     *
     * @param filter condition of the consumer itself; null for none
     * @param isTemporary whether the queue belongs to the consumer and goes with it
     */
    record Source(String queue, @Nullable String filter, boolean isTemporary) {}

    private record Address(boolean exists, List<String> queues, boolean autoCreate) {

        static Address read(ByteBuffer in) {
            boolean exists = in.get() != 0;
            int count = in.getInt();
            List<String> queues = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                queues.add(CorePacket.readName(in));
            }
            in.get(); // whether the broker would create queues for a client
            return new Address(exists, queues, in.get() != 0);
        }
    }

    /** Creates a queue or the address of a topic unless it exists; returns whether it was created. */
    boolean ensure(Destination destination) throws IOException, InterruptedException {
        String address = QueueFacts.address(destination);
        boolean exists;
        boolean allowed;
        if (destination.isTopic()) {
            Address known = address(address, destination);
            exists = known.exists();
            allowed = known.autoCreate();
        } else {
            QueueFacts known = facts(destination);
            exists = known.exists();
            allowed = known.autoCreate();
        }
        if (exists) {
            return false;
        }
        if (!allowed) {
            throw new DriverException("The broker has no " + destination
                + " and its settings forbid to create it; create it on the broker or name another destination.", null);
        }
        return create(destination.isTopic()
            ? new CorePacket(CorePackets.CREATE_ADDRESS, control.id).name(address).number(1).octet(QueueFacts.MULTICAST).flag(true)
                .flag(true)
            : QueueFacts.creation(control.id, address, QueueFacts.queue(destination)), destination);
    }

    /** Sends a packet that creates something; returns false if somebody else was faster. */
    private boolean create(CorePacket packet, Destination destination) throws IOException, InterruptedException {
        try {
            control.request(packet, destination.toString());
            return true;
        } catch (CoreRefusal e) {
            if (e.code() == CorePackets.QUEUE_EXISTS || e.code() == CorePackets.ADDRESS_EXISTS) {
                return false;
            }
            throw e;
        }
    }

    QueueFacts facts(Destination destination) throws IOException, InterruptedException {
        return facts(QueueFacts.queue(destination), destination);
    }

    private QueueFacts facts(String queue, Destination destination) throws IOException, InterruptedException {
        return QueueFacts.read(control.request(new CorePacket(CorePackets.QUEUE_QUERY, control.id).name(queue), destination.toString()));
    }

    private Address address(String name, Destination destination) throws IOException, InterruptedException {
        return Address.read(control.request(new CorePacket(CorePackets.BINDING_QUERY, control.id).name(name), destination.toString()));
    }

    /**
     * Makes sure that there is what a consumer receives from. The queue of a subscription that others share, or that outlives its consumers,
     * has the name that Artemis' client gives it.
     */
    Source source(Destination destination, ConsumerSettings wanted, @Nullable String filter) throws IOException, InterruptedException {
        ensure(destination);
        if (!destination.isTopic()) {
            return new Source(destination.name(), filter, false);
        }
        String subscription = wanted.subscription();
        if (!wanted.shared() || subscription == null) {
            String queue = UUID.randomUUID().toString();
            control.request(QueueFacts.temporary(control.id, destination.name(), queue, QueueFacts.MULTICAST, filter),
                "a subscription on " + destination);
            return new Source(queue, null, true);
        }
        String queue = subscriptionQueue(wanted.durable(), subscription);
        create(QueueFacts.shared(control.id, destination.name(), queue, filter, wanted.durable()), destination);
        return new Source(queue, null, false);
    }

    private static String subscriptionQueue(boolean durable, String subscription) {
        return ActiveMQDestination.createQueueNameForSubscription(durable, null, subscription).toString();
    }

    /** Deletes a topic with all its subscriptions, or a queue; then its address, unless other queues are bound to it. */
    void delete(Destination destination) throws Exception {
        String name = QueueFacts.address(destination);
        if (destination.isTopic()) {
            for (String queue : address(name, destination).queues()) {
                deleteQueue(queue, destination);
            }
        } else if (facts(destination).exists()) {
            deleteQueue(QueueFacts.queue(destination), destination);
        }
        Address left = address(name, destination);
        if (left.exists() && left.queues().isEmpty()) {
            ask(Map.of("_AMQ_ResourceName", "broker", "_AMQ_OperationName", "deleteAddress"),
                "[\"" + name.replace("\\", "\\\\").replace("\"", "\\\"") + "\"]");
        }
    }

    private void deleteQueue(String queue, Destination destination) throws IOException, InterruptedException {
        control.request(new CorePacket(CorePackets.DELETE_QUEUE, control.id).name(queue), "to delete " + destination);
    }

    /** Deletes a durable subscription that has no consumers any more. */
    void unsubscribe(Destination destination, String subscription) throws IOException, InterruptedException {
        deleteQueue(subscriptionQueue(true, subscription), destination);
    }

    /** Returns name and version of the broker; empty if it does not tell, for example because the user lacks the permission. */
    synchronized String broker() {
        if (broker == null) {
            var version = VERSION.matcher(ask(Map.of("_AMQ_ResourceName", "broker", "_AMQ_Attribute", "version"), null));
            broker = version.matches() ? "ActiveMQ Artemis " + version.group(1) : "";
        }
        return broker;
    }

    /** Asks the broker's management; returns an empty answer if there is none: nothing here depends on it. */
    private String ask(Map<String, String> headers, @Nullable String arguments) {
        try {
            ManagementRequest request =
                connection.open(channel -> new ManagementRequest(connection, channel), "a question to the management");
            try {
                return request.ask(headers, arguments);
            } finally {
                request.leave();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        } catch (Exception e) {
            return "";
        }
    }
}
