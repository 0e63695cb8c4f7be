package io.brokermeter.driver.core.codec;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import org.jspecify.annotations.Nullable;

/**
 * The session of one request to the broker's management address, which needs a permission of its own. The answer comes to a temporary queue
 * as a text in JSON.
 */
final class ManagementRequest extends CoreChannel implements SendListener {

    private static final Destination ADDRESS = new Destination(Destination.Kind.QUEUE, "activemq.management");
    private static final long LIMIT_MILLIS = 1000;
    private static final long CONSUMER = 0;

    private final String replies = UUID.randomUUID().toString();
    private final CompletableFuture<String> result = new CompletableFuture<>();

    ManagementRequest(CodecConnection connection, long channel) {
        super(connection, channel, -1);
    }

    /**
     * Asks the broker and waits for the answer, for at most a second after it was sent.
     *
     * @param headers what is asked for
     * @param arguments arguments of an operation as JSON, null for none
     * @return the answer as JSON, which is a description of the error if the broker refused
     */
    String ask(Map<String, String> headers, @Nullable String arguments) throws Exception {
        request(QueueFacts.temporary(id, replies, replies, QueueFacts.ANYCAST, null), "a queue for its answer");
        tell(new CorePacket(CorePackets.START, id));
        request(new CorePacket(CorePackets.CREATE_CONSUMER, id).number(CONSUMER).name(replies).nullableName(null).flag(false).flag(true)
            .number(0), "its answer");
        tell(new CorePacket(CorePackets.CONSUMER_CREDITS, id).number(CONSUMER).number(-1));
        Map<String, String> all = new HashMap<>(headers);
        all.put("JMSReplyTo", replies);
        var settings = ProducerSettings.of(its -> its.variants = List.of(new MessageVariant(null, -1, all)));
        try (var producer = connection.open(channel -> new CodecProducer(connection, channel, ADDRESS, settings, this), "a question")) {
            producer.begin();
            producer.send(new Payload(body(arguments)), 0);
            producer.flush();
            return result.get(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private static byte[] body(@Nullable String arguments) {
        if (arguments == null) {
            return new byte[1];
        }
        byte[] text = arguments.getBytes(StandardCharsets.UTF_16LE);
        return ByteBuffer.allocate(1 + Integer.BYTES + text.length).put((byte) 1).putInt(text.length).put(text).array();
    }

    @Override
    void packet(byte type, ByteBuffer in, int end) throws IOException {
        if (type == CorePackets.RECEIVE) {
            in.getInt(); // the length of the body
            String answer = CorePacket.readNullableName(in);
            result.complete(answer == null ? "" : answer);
        } else {
            super.packet(type, in, end);
        }
    }

    @Override
    protected void ended(Throwable reason) {
        result.completeExceptionally(reason);
    }

    @Override
    public void confirmed(long token) {}

    @Override
    public void confirmedUpTo(long token) {}

    @Override
    public void failed(long token, Throwable cause) {
        result.completeExceptionally(cause);
    }

    @Override
    public void unknown(long token, Throwable cause) {
        result.completeExceptionally(cause);
    }
}
