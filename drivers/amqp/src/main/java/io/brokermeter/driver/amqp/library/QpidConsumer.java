package io.brokermeter.driver.amqp.library;

import java.nio.ByteBuffer;

import io.brokermeter.driver.jms.JmsConnection;
import io.brokermeter.driver.jms.JmsConsumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Payload;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import org.apache.qpid.jms.JmsMessageConsumer;
import org.apache.qpid.jms.message.JmsMessageSupport;
import org.apache.qpid.jms.meta.JmsConsumerInfo;
import org.apache.qpid.jms.meta.JmsResource;
import org.apache.qpid.jms.meta.JmsSessionInfo;
import org.apache.qpid.proton.amqp.Binary;
import org.jspecify.annotations.Nullable;

/** A consumer that notices when the broker closes its link or its session. */
final class QpidConsumer extends JmsConsumer {

    private final JmsMessageConsumer consumer;
    private final int givingBack;

    QpidConsumer(
            JmsConnection connection, Session session, MessageConsumer consumer, ConsumerSettings settings,
            DeliveryListener listener, boolean knowsModified) {
        super(connection, session, consumer, settings, listener);
        this.consumer = (JmsMessageConsumer) consumer;
        this.givingBack = knowsModified ? JmsMessageSupport.MODIFIED_FAILED : JmsMessageSupport.RELEASED;
    }

    @Override
    protected @Nullable ByteBuffer envelope(Message message) throws JMSException {
        var value = message.getObjectProperty(Payload.PROPERTY);
        return value instanceof Binary bytes ? bytes.asByteBuffer() : envelope(value);
    }

    /**
     * Gives the message back. If the broker knows the outcome modified, the message counts as delivered before, and comes as redelivered.
     */
    @Override
    protected void requeue(Message message) throws JMSException {
        message.setIntProperty(JmsMessageSupport.JMS_AMQP_ACK_TYPE, givingBack);
        message.acknowledge();
    }

    @Override
    protected void reject(Message message) throws JMSException {
        message.setIntProperty(JmsMessageSupport.JMS_AMQP_ACK_TYPE, JmsMessageSupport.REJECTED);
        message.acknowledge();
    }

    /**
     * Throws, so that the client releases the message: it keeps a link open for the message in its listener, and releases that message when
     * the listener throws.
     */
    @Override
    protected void keepUnacknowledged(boolean beingClosed) throws JMSException {
        if (!beingClosed) {
            consumer.close();
        }
        throw new IllegalStateException("The consumer leaves this message.");
    }

    /** Stops the client's consumer. This waits for a delivery in progress; no further message is delivered. */
    @Override
    protected void stopDelivery() {
        consumer.stop();
    }

    @Override
    protected void prepareReceiving() throws JMSException {
        consumer.setMessageListener(null);
        consumer.start();
    }

    /** Handles a resource that the broker closed, which may be this consumer's link or session. */
    void closed(JmsResource resource, Throwable cause) {
        var id = consumer.getConsumerId();
        if (resource instanceof JmsConsumerInfo info && info.getId().equals(id)
            || resource instanceof JmsSessionInfo session && session.getId().equals(id.getParentId())) {
            fail(cause);
        }
    }
}
