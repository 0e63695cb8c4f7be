package io.brokermeter.driver.openwire;

import io.brokermeter.driver.jms.JmsConnection;
import io.brokermeter.driver.jms.JmsProducer;
import io.brokermeter.driver.jms.SendCompletion;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import org.apache.activemq.ActiveMQMessageProducer;
import org.apache.activemq.AsyncCallback;
import org.apache.activemq.ScheduledMessage;
import org.apache.activemq.command.ActiveMQBytesMessage;
import org.apache.activemq.transport.TransportDisposedIOException;
import org.apache.activemq.util.ByteSequence;

/**
 * A producer that uses the client's own type of callback for the answers to its sends, since the client lacks that of Jakarta Messaging.
 */
final class OpenWireProducer extends JmsProducer {

    private final ActiveMQMessageProducer producer;
    private final boolean compressed;
    private final long delayMillis;

    OpenWireProducer(
            JmsConnection connection, Session session, MessageProducer producer, ProducerSettings settings,
            SendListener listener, boolean compressed) throws JMSException {
        super(connection, session, producer, settings, listener);
        this.producer = (ActiveMQMessageProducer) producer;
        this.compressed = compressed;
        this.delayMillis = settings.delayMillis();
        // The client sets ids anyway, and if a callback is used it takes this for the switch of the timestamps.
        producer.setDisableMessageID(false);
    }

    /** Does nothing: each message carries the delay itself. */
    @Override
    protected void delay(MessageProducer jmsProducer, long millis) {}

    /** Creates a message whose body is set directly, where the client would write it through a stream. */
    @Override
    protected BytesMessage message(Payload payload) throws JMSException {
        BytesMessage message;
        if (compressed) {
            message = super.message(payload);
        } else {
            var plain = (ActiveMQBytesMessage) session().createBytesMessage();
            plain.setContent(new ByteSequence(payload.copy()));
            message = plain;
        }
        if (delayMillis > 0) {
            message.setLongProperty(ScheduledMessage.AMQ_SCHEDULED_DELAY, delayMillis);
        }
        return message;
    }

    @Override
    protected void sendAsync(BytesMessage message, SendCompletion completion) throws JMSException {
        producer.send(message, completion.as(Callback.class, Callback::new));
    }

    /** A callback of which the client calls one method, once for each send. */
    private record Callback(SendCompletion completion) implements AsyncCallback {

        @Override
        public void onSuccess() {
            completion.confirmed();
        }

        @Override
        public void onException(JMSException exception) {
            // A send that a lost connection leaves unanswered fails with the cause of the loss.
            completion.failed(exception.getCause() instanceof TransportDisposedIOException disposed
                && disposed.getCause() instanceof Exception cause && cause.getMessage() != null ? cause : exception);
        }
    }
}
