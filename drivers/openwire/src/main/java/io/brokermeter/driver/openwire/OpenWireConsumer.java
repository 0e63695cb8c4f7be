package io.brokermeter.driver.openwire;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

import io.brokermeter.driver.jms.JmsConnection;
import io.brokermeter.driver.jms.JmsConsumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Payload;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import org.apache.activemq.ActiveMQConnection;
import org.apache.activemq.ActiveMQMessageConsumer;
import org.apache.activemq.ActiveMQSession;
import org.apache.activemq.RedeliveryPolicy;
import org.apache.activemq.command.ActiveMQBytesMessage;
import org.apache.activemq.command.FlushCommand;
import org.jspecify.annotations.Nullable;

/** A consumer that reads bodies directly from the received bytes. */
final class OpenWireConsumer extends JmsConsumer {

    private static final byte[] EMPTY = new byte[0];
    private static final MethodHandle STOP = ofSession("stop");
    private static final MethodHandle START = ofSession("start");
    private static final RedeliveryPolicy ONCE = once();
    private static final RedeliveryPolicy NOT_HERE = notHere();

    private final ActiveMQConnection connection;

    OpenWireConsumer(
            JmsConnection connection, ActiveMQConnection client, Session session, MessageConsumer consumer,
            ConsumerSettings settings, DeliveryListener listener) {
        super(connection, session, consumer, settings, listener);
        this.connection = client;
    }

    private static MethodHandle ofSession(String name) {
        try {
            return MethodHandles.privateLookupIn(ActiveMQSession.class, MethodHandles.lookup())
                .findVirtual(ActiveMQSession.class, name, MethodType.methodType(void.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @Override
    protected ByteBuffer body(Message message) throws JMSException {
        if (!(message instanceof ActiveMQBytesMessage bytesMessage) || bytesMessage.isCompressed()) {
            return super.body(message);
        }
        var content = bytesMessage.getContent();
        return content == null ? copied(EMPTY, 0, 0) : copied(content.getData(), content.getOffset(), content.getLength());
    }

    /** Reads the property directly from the message, where the client would evaluate an expression. */
    @Override
    protected @Nullable ByteBuffer envelope(Message message) throws JMSException {
        if (!(message instanceof org.apache.activemq.command.Message command)) {
            return super.envelope(message);
        }
        try {
            return envelope(command.getProperty(Payload.PROPERTY));
        } catch (IOException e) {
            return null; // the properties cannot be read, whoever sent them
        }
    }

    /** Rejects a message like the client rejects one that was delivered too often: the broker moves it to its dead letters. */
    @Override
    protected void reject(Message message) throws JMSException {
        var consumer = (ActiveMQMessageConsumer) jmsConsumer();
        var policy = consumer.getRedeliveryPolicy();
        consumer.setRedeliveryPolicy(ONCE);
        try {
            session().recover();
        } finally {
            consumer.setRedeliveryPolicy(policy);
        }
    }

    /** Rolls the message back as after a failed listener, with a policy by which the client does not deliver the message again itself. */
    @Override
    protected void keepUnacknowledged(boolean beingClosed) throws JMSException {
        var consumer = (ActiveMQMessageConsumer) jmsConsumer();
        consumer.setRedeliveryPolicy(NOT_HERE);
        consumer.rollback();
    }

    @Override
    protected boolean closesWhenLeft() {
        return false;
    }

    /**
     * Waits for the answer to a command. Acknowledgements and the end of a consumer have no answer, but the answer to a later command
     * follows them.
     */
    @Override
    protected void awaitBroker() throws JMSException {
        connection.syncSendPacket(new FlushCommand());
    }

    private static RedeliveryPolicy notHere() {
        var policy = new RedeliveryPolicy();
        policy.setMaximumRedeliveries(RedeliveryPolicy.NO_MAXIMUM_REDELIVERIES);
        policy.setInitialRedeliveryDelay(TimeUnit.DAYS.toMillis(1));
        policy.setRedeliveryDelay(TimeUnit.DAYS.toMillis(1));
        return policy;
    }

    private static RedeliveryPolicy once() {
        var policy = new RedeliveryPolicy();
        policy.setMaximumRedeliveries(0);
        return policy;
    }

    /**
     * Stops the session, which waits for a delivery in progress. Removing the listener would not wait, and an acknowledgement would then
     * include a message that is on its way to the listener; stopping the connection, as the base class does, would stop its other
     * consumers.
     */
    @Override
    protected void stopDelivery() throws JMSException {
        call(STOP);
    }

    @Override
    protected void prepareReceiving() throws JMSException {
        jmsConsumer().setMessageListener(null);
        call(START);
    }

    private void call(MethodHandle method) throws JMSException {
        try {
            method.invokeExact((ActiveMQSession) session());
        } catch (JMSException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
