package io.brokermeter.driver.amqp091.direct;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.Consumer;

import io.brokermeter.driver.amqp091.model.Requests;
import org.jspecify.annotations.Nullable;

/** Makes requests over one channel; opens a new channel after a refusal, which closes the old one. */
final class ChannelRequests implements Requests {

    private static final int PASSIVE = 1;
    private static final int DURABLE = 2;
    private static final int EXCLUSIVE = 4;
    private static final int AUTO_DELETE = 8;

    private final Amqp091Connection connection;
    private @Nullable RequestChannel channel;

    ChannelRequests(Amqp091Connection connection) {
        this.connection = connection;
    }

    private ByteBuffer call(String subject, int code, Consumer<ByteBuffer> arguments, int answer) throws Exception {
        RequestChannel open = channel;
        if (open == null || open.closed) {
            open = connection.register(number -> new RequestChannel(connection, number));
            open.open();
            channel = open;
        }
        open.subject = subject;
        return open.call(code, arguments, answer);
    }

    private static final class RequestChannel extends Channel {

        /** The subject of the last request, as used in error messages. */
        private volatile String subject = "a request";

        RequestChannel(Amqp091Connection connection, int number) {
            super(connection, number);
        }

        @Override
        String describe() {
            return subject;
        }
    }

    @Override
    public long queue(String name) throws Exception {
        ByteBuffer answer = declareQueue(name, PASSIVE, Map.of());
        Fields.shortText(answer);
        return answer.getInt() & 0xffffffffL;
    }

    private ByteBuffer declareQueue(String name, int bits, Map<String, Object> arguments) throws Exception {
        return call("queue " + name, Method.QUEUE_DECLARE, out -> {
            out.putShort((short) 0);
            Fields.shortText(out, name);
            out.put((byte) bits);
            Fields.table(out, arguments);
        }, Method.QUEUE_DECLARE_OK);
    }

    @Override
    public void exchange(String name) throws Exception {
        declareExchange(name, "", PASSIVE);
    }

    private void declareExchange(String name, String type, int bits) throws Exception {
        call("exchange " + name, Method.EXCHANGE_DECLARE, out -> {
            out.putShort((short) 0);
            Fields.shortText(out, name);
            Fields.shortText(out, type);
            out.put((byte) bits);
            Fields.table(out, Map.of());
        }, Method.EXCHANGE_DECLARE_OK);
    }

    @Override
    public String declareQueue(
            String name, boolean durable, boolean exclusive, boolean autoDelete, Map<String, Object> arguments) throws Exception {
        int bits = (durable ? DURABLE : 0) | (exclusive ? EXCLUSIVE : 0) | (autoDelete ? AUTO_DELETE : 0);
        return Fields.shortText(declareQueue(name, bits, arguments));
    }

    @Override
    public void declareExchange(String name, String type) throws Exception {
        declareExchange(name, type, DURABLE);
    }

    @Override
    public void bind(String queue, String exchange, String key, Map<String, Object> arguments) throws Exception {
        call("the binding of queue " + queue + " to exchange " + exchange, Method.QUEUE_BIND, out -> {
            out.putShort((short) 0);
            Fields.shortText(out, queue);
            Fields.shortText(out, exchange);
            Fields.shortText(out, key);
            out.put((byte) 0);
            Fields.table(out, arguments);
        }, Method.QUEUE_BIND_OK);
    }

    @Override
    public void deleteQueue(String name) throws Exception {
        delete("queue " + name, Method.QUEUE_DELETE, name, Method.QUEUE_DELETE_OK);
    }

    @Override
    public void deleteExchange(String name) throws Exception {
        delete("exchange " + name, Method.EXCHANGE_DELETE, name, Method.EXCHANGE_DELETE_OK);
    }

    private void delete(String subject, int code, String name, int answer) throws Exception {
        call(subject, code, out -> {
            out.putShort((short) 0);
            Fields.shortText(out, name);
            out.put((byte) 0);
        }, answer);
    }
}
