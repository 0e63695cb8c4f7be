package io.brokermeter.driver.amqp.library;

import io.brokermeter.driver.jms.JmsConnection;
import io.brokermeter.driver.jms.JmsProducer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import org.apache.qpid.jms.meta.JmsProducerInfo;
import org.apache.qpid.jms.provider.amqp.AmqpProducer;
import org.jspecify.annotations.Nullable;

/** A producer that reports the credit of its link. */
final class QpidProducer extends JmsProducer {

    private final @Nullable JmsProducerInfo info;

    QpidProducer(
            JmsConnection connection, Session session, MessageProducer producer, ProducerSettings settings,
            SendListener listener, @Nullable JmsProducerInfo info) throws JMSException {
        super(connection, session, producer, settings, listener);
        this.info = info;
    }

    /** Returns whether the link lacks credit. Reads the link's state outside the client's thread, so it may be a moment old. */
    @Override
    public String stallReason() {
        if (info != null && info.getId().getProviderHint() instanceof AmqpProducer link) {
            int credit = link.getEndpoint().getCredit();
            return credit <= 0 ? "link credit 0" : "";
        }
        return "";
    }
}
