package io.brokermeter.driver.amqp091.library;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ShutdownSignalException;
import io.brokermeter.driver.amqp091.model.Requests;
import org.jspecify.annotations.Nullable;

/** Makes requests over one channel; opens a new channel after a refusal, which closes the old one. */
final class RabbitMqRequests implements Requests {

    private final RabbitMqConnection connection;
    private @Nullable Channel channel;

    RabbitMqRequests(RabbitMqConnection connection) {
        this.connection = connection;
    }

    private Channel channel() throws Exception {
        Channel open = channel;
        if (open == null || !open.isOpen()) {
            open = connection.channel();
            channel = open;
        }
        return open;
    }

    private static <T> T readable(String subject, Callable<T> request) throws Exception {
        try {
            return request.call();
        } catch (ShutdownSignalException | IOException e) {
            throw RabbitMqConnection.readable("The broker refuses " + subject, e);
        }
    }

    @Override
    public long queue(String name) throws Exception {
        return readable("queue " + name, () -> (long) channel().queueDeclarePassive(name).getMessageCount());
    }

    @Override
    public void exchange(String name) throws Exception {
        readable("exchange " + name, () -> channel().exchangeDeclarePassive(name));
    }

    @Override
    public String declareQueue(
            String name, boolean durable, boolean exclusive, boolean autoDelete, Map<String, Object> arguments) throws Exception {
        return readable("queue " + name,
            () -> channel().queueDeclare(name, durable, exclusive, autoDelete, arguments).getQueue());
    }

    @Override
    public void declareExchange(String name, String type) throws Exception {
        readable("exchange " + name, () -> channel().exchangeDeclare(name, type, true));
    }

    @Override
    public void bind(String queue, String exchange, String key, Map<String, Object> arguments) throws Exception {
        readable("the binding of queue " + queue + " to exchange " + exchange,
            () -> channel().queueBind(queue, exchange, key, arguments));
    }

    @Override
    public void deleteQueue(String name) throws Exception {
        readable("queue " + name, () -> channel().queueDelete(name));
    }

    @Override
    public void deleteExchange(String name) throws Exception {
        readable("exchange " + name, () -> channel().exchangeDelete(name));
    }

}
