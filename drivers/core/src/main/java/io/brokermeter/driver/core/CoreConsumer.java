package io.brokermeter.driver.core;

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
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.core.message.impl.CoreMessage;
import org.apache.activemq.artemis.jms.client.ActiveMQMessage;
import org.apache.activemq.artemis.jms.client.ActiveMQSession;
import org.apache.activemq.artemis.jms.client.JMSExceptionHelper;
import org.jspecify.annotations.Nullable;

/** A consumer that lets the client decode a message's properties only if an envelope is among them. */
final class CoreConsumer extends JmsConsumer {

    private static final SimpleString PROPERTY = SimpleString.of(Payload.PROPERTY);

    /** The name of no queue, about which every user may ask. */
    private static final SimpleString NO_QUEUE = SimpleString.of("brokermeter.none");

    CoreConsumer(
            JmsConnection connection, Session session, MessageConsumer consumer, ConsumerSettings settings,
            DeliveryListener listener) {
        super(connection, session, consumer, settings, listener);
    }

    @Override
    protected @Nullable ByteBuffer envelope(Message message) throws JMSException {
        if (message instanceof ActiveMQMessage known && known.getCoreMessage() instanceof CoreMessage core
            && !core.isLargeMessage() && !core.searchProperty(PROPERTY)) {
            return null;
        }
        return super.envelope(message);
    }

    /**
     * Gives the message back after all answers to earlier acknowledgements. The client stops delivery for that, and would otherwise take
     * such an answer for that to its stop: the broker would still deliver what it then takes back, and refuse its acknowledgement.
     */
    @Override
    protected void requeue(Message message) throws JMSException {
        awaitAcknowledged();
        super.requeue(message);
    }

    /** Stops the session, which waits for a delivery in progress; removing the listener does not wait. */
    @Override
    protected void stopDelivery() throws JMSException {
        if (keepsOpen()) {
            awaitAcknowledged();
            call(session -> session.stop());
        }
    }

    /**
     * Waits until the broker has answered all acknowledgements. JMS acknowledges by a commit for which the client does not wait, and whose
     * answer it cannot tell from those to a stop or a close. That to a query is of another kind, and comes after them.
     */
    @Override
    protected void awaitAcknowledged() throws JMSException {
        call(session -> session.queueQuery(NO_QUEUE));
    }

    @Override
    protected void prepareReceiving() throws JMSException {
        jmsConsumer().setMessageListener(null);
        call(session -> session.start());
    }

    private interface Step {
        void of(ClientSession session) throws ActiveMQException;
    }

    private void call(Step step) throws JMSException {
        try {
            step.of(((ActiveMQSession) session()).getCoreSession());
        } catch (ActiveMQException e) {
            throw JMSExceptionHelper.convertFromActiveMQException(e);
        }
    }

    /** Leaves the message to the broker, as the client does after a recovery within the listener. */
    @Override
    protected void keepUnacknowledged(boolean beingClosed) {
        ((ActiveMQSession) session()).setRecoverCalled(true);
    }

    @Override
    protected boolean closesWhenLeft() {
        return false;
    }
}
