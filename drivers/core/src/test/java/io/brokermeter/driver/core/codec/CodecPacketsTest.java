package io.brokermeter.driver.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.brokermeter.driver.jms.BrokerUrl;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.parameter.PropertyText;
import io.brokermeter.spi.parameter.Secret;
import io.netty.buffer.Unpooled;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.ActiveMQExceptionType;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.buffers.impl.ChannelBufferWrapper;
import org.apache.activemq.artemis.core.message.impl.CoreMessage;
import org.apache.activemq.artemis.core.protocol.core.impl.PacketImpl;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.ActiveMQExceptionMessage;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.CreateQueueMessage_V2;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.CreateSessionMessage;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.SessionQueueQueryResponseMessage_V3;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.SessionReceiveMessage;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.SessionSendMessage_V3;
import org.apache.activemq.artemis.core.server.QueueQueryResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** CorePackets against the classes of Artemis' client: it must read what is written here, and what it writes must be read here. */
class CodecPacketsTest {

    private static final Destination QUEUE = new Destination(Destination.Kind.QUEUE, "öl.queue");

    /** Lets Artemis' client read a packet. */
    private static <P extends PacketImpl> P decoded(ByteBuffer packet, P into) {
        byte[] bytes = new byte[packet.remaining()];
        packet.get(bytes);
        assertThat(ByteBuffer.wrap(bytes).getInt()).as("length").isEqualTo(bytes.length - 4);
        assertThat(bytes[4]).as("type").isEqualTo(into.getType());
        var buffer = new ChannelBufferWrapper(Unpooled.wrappedBuffer(bytes));
        buffer.readerIndex(5);
        into.decode(buffer);
        assertThat(buffer.readableBytes()).as("bytes behind the packet").isZero();
        return into;
    }

    /** Returns the fields of a packet that Artemis' client has written. */
    private static ByteBuffer fields(PacketImpl packet) {
        var buffer = packet.encode(null);
        byte[] bytes = new byte[buffer.readableBytes()];
        buffer.getBytes(0, bytes);
        return ByteBuffer.wrap(bytes).position(CorePackets.HEADER);
    }

    private static byte[] rest(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static ConnectionSettings login(String user, String password) {
        return new ConnectionSettings("tcp://h:1", user, Secret.of(password), null, Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"short", "exactly 9", "not so short", "with ö, € and \uD83D\uDE00"})
    void aSessionIsAskedForAsTheClientDoes(String user) {
        var url = CodecUrl.read(BrokerUrl.of("tcp://h:1?confirmationWindowSize=4711"), false);
        var packet = CoreHandshake.createSession(login(user, "x".repeat(5000)), url, 17, 4711).encoded();
        var read = decoded(packet.duplicate(), new CreateSessionMessage());
        var wanted =
            new CreateSessionMessage(read.getName(), 17, 136, user, "x".repeat(5000), 100 << 10, false, true, true, false, 4711, null);
        assertThat(rest(packet.position(CorePackets.HEADER))).isEqualTo(rest(fields(wanted)));
    }

    private static void write(ByteBuffer out, CoreMessageTemplate template, Payload payload) {
        CoreMessageTemplate.beginBody(out, payload);
        template.writeHeaders(out.put(payload.buffer()), payload);
    }

    @Test
    void aQueueIsCreatedAsTheClientDoes() {
        var read = decoded(QueueFacts.creation(12, "öl", "öl.queue").encoded(), new CreateQueueMessage_V2());
        var wanted = new CreateQueueMessage_V2(QueueConfiguration.of("öl.queue").setAddress("öl").setRoutingType(RoutingType.ANYCAST)
            .setDurable(true).setAutoCreated(true).setMaxConsumers(-1).setPurgeOnNoConsumers(false), true);
        assertThat(read.toQueueConfiguration()).isEqualTo(wanted.toQueueConfiguration());
        assertThat(read.isRequiresResponse()).isTrue();
    }

    @Test
    void whatTheBrokerSaysOfAQueueIsRead() {
        var queue = QueueConfiguration.of("q").setAddress("ö").setRoutingType(RoutingType.ANYCAST).setFilterString("a = 1").setDurable(true)
            .setMaxConsumers(5).setExclusive(true).setPurgeOnNoConsumers(false).setAutoCreated(true).setTemporary(false);
        var answer = new SessionQueueQueryResponseMessage_V3(new QueueQueryResult(queue, 3, 4711, true, true, 65536));
        assertThat(QueueFacts.read(fields(answer))).isEqualTo(new QueueFacts(true, 4711, true, 65536));
    }

    @ParameterizedTest
    @ValueSource(strings = {"short", "AMQ229032: User: öl does not have permission='SEND' on address €"})
    void theReasonOfARefusalIsRead(String text) {
        var refusal =
            CoreRefusal.read(fields(new ActiveMQExceptionMessage(new ActiveMQException(text, ActiveMQExceptionType.SECURITY_EXCEPTION))),
                "The broker refused it");
        assertThat(refusal.code()).isEqualTo(CorePackets.SECURITY);
        assertThat(refusal).hasMessage("The broker refused it: " + text);
    }

    // ---- messages

    private static CoreMessage sent(ProducerSettings settings, Payload payload) {
        var template = new CoreMessageTemplate(QUEUE, "the-connection", settings);
        int size = template.size(payload);
        var packet = ByteBuffer.allocate(CorePackets.HEADER + size + 13);
        packet.putInt(packet.capacity() - 4).put(CorePackets.SEND).putLong(17);
        write(packet, template, payload);
        assertThat(packet.position()).as("size").isEqualTo(CorePackets.HEADER + size);
        packet.put((byte) 1).putLong(4711).putInt(3);
        var read = decoded(packet.flip(), new SessionSendMessage_V3(new CoreMessage()));
        assertThat(read.getCorrelationID()).isEqualTo(4711);
        assertThat(read.getSenderID()).isEqualTo(3);
        assertThat(read.isRequiresResponse()).isTrue();
        var message = (CoreMessage) read.getMessage();
        assertThat(message.getEncodeSize()).as("bytes of credit").isEqualTo(size);
        return message;
    }

    private static byte[] body(CoreMessage message) {
        var buffer = message.getReadOnlyBodyBuffer();
        byte[] bytes = new byte[buffer.readableBytes()];
        buffer.readBytes(bytes);
        return bytes;
    }

    @Test
    void aPlainMessageIsWrittenAsTheClientDoes() {
        var message = sent(ProducerSettings.DEFAULT, new Payload("body".getBytes()));
        assertThat(body(message)).isEqualTo("body".getBytes());
        assertThat(message.getAddress()).isEqualTo("öl.queue");
        assertThat(message.getType()).isEqualTo(CoreMessage.BYTES_TYPE);
        assertThat(message.isDurable()).isFalse();
        assertThat(message.getPriority()).isEqualTo((byte) 4);
        assertThat(message.getTimestamp()).isZero();
        assertThat(message.getExpiration()).isZero();
        assertThat(message.getUserID()).isNull();
        assertThat(message.getRoutingType()).isEqualTo(RoutingType.ANYCAST);
        assertThat(message.getStringProperty("__AMQ_CID")).isEqualTo("the-connection");
        assertThat(message.getPropertyNames()).hasSize(2);
    }

    @Test
    void everyHeaderIsWrittenAsTheClientDoes() {
        var settings = ProducerSettings.of(its -> {
            its.persistent = true;
            its.messageIds = true;
            its.timestamps = true;
            its.ttlMillis = 60_000;
            its.delayMillis = 5_000;
            its.envelopeProperty = true;
            its.variants = List.of(new MessageVariant("group €", 7, Map.of("colour", "grün")));
        });
        var payload = new Payload(new byte[0]);
        byte[] envelope = {1, (byte) 0xab, 3};
        payload.envelope(envelope);
        long before = System.currentTimeMillis();
        var message = sent(settings, payload);
        long after = System.currentTimeMillis();
        assertThat(body(message)).isEmpty();
        assertThat(message.isDurable()).isTrue();
        assertThat(message.getPriority()).isEqualTo((byte) 7);
        assertThat(message.getTimestamp()).isBetween(before, after);
        assertThat(message.getExpiration()).isEqualTo(message.getTimestamp() + 60_000);
        assertThat(message.getScheduledDeliveryTime()).isEqualTo(message.getTimestamp() + 5_000);
        assertThat(message.getUserID()).isNotNull();
        assertThat(message.getGroupID().toString()).isEqualTo("group €");
        assertThat(message.getStringProperty("colour")).isEqualTo("grün");
        assertThat(message.getStringProperty(Payload.PROPERTY)).isEqualTo(PropertyText.encode(envelope));
        assertThat(message.getPropertyNames()).hasSize(6);
    }

    @Test
    void idsDiffer() {
        var template = new CoreMessageTemplate(QUEUE, "c", ProducerSettings.of(its -> its.messageIds = true));
        var payload = new Payload(new byte[1]);
        var first = ByteBuffer.allocate(template.size(payload));
        var second = ByteBuffer.allocate(template.size(payload));
        write(first, template, payload);
        write(second, template, payload);
        assertThat(first.flip()).isNotEqualTo(second.flip());
    }

    private static CoreMessage message(byte type) {
        var message = new CoreMessage(4711, 1000);
        message.setType(type);
        message.setAddress("q").setDurable(true);
        message.getBodyBuffer().writeBytes("body".getBytes());
        message.putBooleanProperty("b", true).putByteProperty("o", (byte) 1).putShortProperty("s", (short) 2).putIntProperty("i", 3)
            .putLongProperty("l", 4).putFloatProperty("f", 5).putDoubleProperty("d", 6).putCharProperty(SimpleString.of("c"), '7')
            .putBytesProperty("y", new byte[9]).putStringProperty("text", "ten").putStringProperty("none", (String) null);
        return message;
    }

    private static IncomingCoreMessage received(CoreMessage message, ByteBuffer fields) {
        var incoming = new IncomingCoreMessage();
        incoming.read(fields);
        assertThat(incoming.id()).isEqualTo(message.getMessageID());
        return incoming;
    }

    @Test
    void aMessageOfTheBrokerIsRead() {
        var message = message(CoreMessage.BYTES_TYPE);
        message.setUserID(org.apache.activemq.artemis.utils.UUIDGenerator.getInstance().generateUUID());
        byte[] envelope = {1, (byte) 0xab, 3};
        message.putStringProperty(Payload.PROPERTY, PropertyText.encode(envelope));
        var fields = fields(new SessionReceiveMessage(3, message, 2));
        var incoming = received(message, fields.duplicate());
        assertThat(incoming.envelope()).isEqualTo(ByteBuffer.wrap(envelope));
        assertThat(incoming.isExpired()).isFalse();
        assertThat(fields.duplicate().limit(incoming.bodyEnd()).position(incoming.bodyStart()))
            .isEqualTo(ByteBuffer.wrap("body".getBytes()));
    }

    @Test
    void aMessageWithoutEnvelopeHasNone() {
        var message = message(CoreMessage.BYTES_TYPE);
        assertThat(received(message, fields(new SessionReceiveMessage(3, message, 1))).envelope()).isNull();
    }

    @Test
    void aTextHasNoBody() {
        var message = message(CoreMessage.TEXT_TYPE);
        message.setExpiration(1);
        var incoming = received(message, fields(new SessionReceiveMessage(3, message, 1)));
        assertThat(incoming.bodyEnd()).isEqualTo(incoming.bodyStart());
        assertThat(incoming.isExpired()).isTrue();
    }

    // ---- credit

    @Test
    void creditIsAskedForAsTheClientDoes() {
        var credit = new ProducerCredit(1000);
        assertThat(credit.first()).isEqualTo(500);
        assertThat(credit.covers(100)).isFalse();
        assertThat(credit.ask(100)).as("as much is on its way").isZero();
        credit.arrived(500, false);
        assertThat(credit.ask(100)).isEqualTo(500);
        assertThat(credit.covers(100)).isTrue();
        credit.use(100);
        assertThat(credit.ask(100)).as("400 and 500 on their way").isZero();
        assertThat(credit.ask(2000)).as("more than a window").isEqualTo(1500);
        credit.arrived(500, false);
        credit.arrived(1500, true);
        assertThat(credit.takeRefusal()).isTrue();
        assertThat(credit.takeRefusal()).isFalse();
        assertThat(credit.covers(1)).isFalse();
        assertThat(credit.ask(1)).isEqualTo(500);
    }

    @Test
    void withoutAWindowNoCreditIsNeeded() {
        var credit = new ProducerCredit(-1);
        assertThat(credit.first()).isZero();
        assertThat(credit.ask(4711)).isZero();
        assertThat(credit.covers(4711)).isTrue();
    }
}
