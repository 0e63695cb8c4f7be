package io.brokermeter.driver.core.codec;

import java.nio.ByteBuffer;

import io.brokermeter.spi.Destination;
import org.apache.activemq.artemis.utils.CompositeAddress;
import org.jspecify.annotations.Nullable;

/**
 * What the broker says of a queue, in answer to a question or when a consumer is created.
 *
 * @param messages number of its messages
 * @param autoCreate whether the broker would create the queue for a client
 * @param consumerWindow bytes that the broker proposes to send ahead; {@link Integer#MIN_VALUE} for no proposal
 */
record QueueFacts(boolean exists, long messages, boolean autoCreate, int consumerWindow) {

    static final int MULTICAST = 0;
    static final int ANYCAST = 1;

    static QueueFacts read(ByteBuffer in) {
        boolean exists = in.get() != 0;
        in.position(in.position() + 2 + Integer.BYTES); // durable, temporary, number of consumers
        long messages = in.getLong();
        CorePacket.readNullableName(in); // filter
        CorePacket.readNullableName(in); // address
        CorePacket.readNullableName(in); // name
        boolean autoCreate = in.get() != 0;
        in.position(in.position() + 3 + Integer.BYTES); // created by a client, purged, routing, most consumers
        for (int i = 0; i < 2; i++) { // exclusive, last value
            if (in.get() != 0) {
                in.get();
            }
        }
        return new QueueFacts(exists, messages, autoCreate, in.get() == 0 ? Integer.MIN_VALUE : in.getInt());
    }

    /** Returns the packet that creates a durable queue for a client, with the settings that the broker has for its address. */
    static CorePacket creation(long channel, String address, String queue) {
        CorePacket packet = new CorePacket(CorePackets.CREATE_QUEUE, channel).name(address).name(queue).nullableName(null)
            .flag(true).flag(false).flag(true).flag(true).octet(ANYCAST).number(-1).flag(false);
        return defaults(packet, 15);
    }

    /** Returns the packet that creates a queue that goes with its connection. */
    static CorePacket temporary(long channel, String address, String queue, int routing, @Nullable String filter) {
        CorePacket packet = new CorePacket(CorePackets.CREATE_QUEUE, channel).name(address).name(queue).nullableName(filter)
            .flag(false).flag(true).flag(true).flag(false).octet(routing).number(-1).flag(false);
        return defaults(packet, 15);
    }

    /** Returns the packet that creates the queue of a subscription that consumers share, unless there is one with the same settings. */
    static CorePacket shared(long channel, String address, String queue, @Nullable String filter, boolean durable) {
        CorePacket packet = new CorePacket(CorePackets.CREATE_SHARED_QUEUE, channel).name(address).name(queue).nullableName(filter)
            .flag(durable).octet(MULTICAST).flag(true);
        return defaults(packet, 16);
    }

    /** Leaves further settings to the broker. */
    private static CorePacket defaults(CorePacket packet, int count) {
        for (int i = 0; i < count; i++) {
            packet.flag(false);
        }
        return packet;
    }

    static String address(Destination destination) {
        return CompositeAddress.extractAddressName(destination.name());
    }

    static String queue(Destination destination) {
        return CompositeAddress.extractQueueName(destination.name());
    }
}
