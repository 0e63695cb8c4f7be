package io.brokermeter.driver.amqp;

import io.brokermeter.driver.jms.JmsConnection;
import io.brokermeter.driver.jms.JmsConsumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import org.apache.qpid.jms.JmsMessageConsumer;
import org.apache.qpid.jms.meta.JmsConsumerInfo;
import org.apache.qpid.jms.meta.JmsResource;
import org.apache.qpid.jms.meta.JmsSessionInfo;

/** A consumer that hears when the broker closes its link or its session. */
final class LinkedConsumer extends JmsConsumer {

    private final JmsMessageConsumer consumer;

    LinkedConsumer(
            JmsConnection connection, Session session, MessageConsumer consumer, ConsumerSettings settings,
            DeliveryListener listener) {
        super(connection, session, consumer, settings, listener);
        this.consumer = (JmsMessageConsumer) consumer;
    }

    /** The broker closed a resource, perhaps this consumer's. */
    void closed(JmsResource resource, Throwable cause) {
        var id = consumer.getConsumerId();
        if (resource instanceof JmsConsumerInfo info && info.getId().equals(id)
            || resource instanceof JmsSessionInfo session && session.getId().equals(id.getParentId())) {
            fail(cause);
        }
    }
}
