package io.brokermeter.driver.core;

import io.brokermeter.driver.jms.JmsConnection;
import io.brokermeter.driver.jms.JmsProducer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import org.apache.activemq.artemis.core.client.impl.ClientProducerCredits;
import org.apache.activemq.artemis.core.client.impl.ClientSessionImpl;
import org.apache.activemq.artemis.core.client.impl.ClientSessionInternal;
import org.apache.activemq.artemis.core.protocol.core.impl.ActiveMQSessionContext;
import org.apache.activemq.artemis.jms.client.ActiveMQMessage;
import org.apache.activemq.artemis.jms.client.ActiveMQSession;
import org.jspecify.annotations.Nullable;

/** A producer that can tell whether the broker grants it credit. */
final class CoreProducer extends JmsProducer {

    private final @Nullable ClientProducerCredits credits;

    CoreProducer(
            JmsConnection connection, Session session, MessageProducer producer, ProducerSettings settings,
            SendListener listener) throws JMSException {
        super(connection, session, producer, settings, listener);
        this.credits = credits(session);
    }

    /** The session belongs to this producer alone, so its only credits are ours. */
    private static @Nullable ClientProducerCredits credits(Session session) {
        if (session instanceof ActiveMQSession jms && jms.getCoreSession() instanceof ClientSessionImpl core) {
            for (var producer : core.cloneProducers()) {
                return producer.getProducerCredits();
            }
        }
        return null;
    }

    /**
     * A client that reconnects may send what it keeps once more, and complete a send twice.
     *
     * <p>Beside the answer to each send the broker confirms, once in some bytes, up to which packet it has read, and the client then
     * completes the sends of those packets, too. A mark of the message shows that this was done before; the mark of a message that
     * was sent again is that of the later send, which would end before the broker has it. So these completions end here; a packet that has
     * not been answered when such a confirmation comes is completed all the same, by its number.
     */
    @Override
    protected boolean canReuseMessages() {
        if (!(session() instanceof ActiveMQSession jms) || !(jms.getCoreSession() instanceof ClientSessionInternal core)
            || CoreProtocol.restores(core.getSessionFactory().getServerLocator())
            || !(core.getSessionContext() instanceof ActiveMQSessionContext context)
            || context.getSessionChannel().getConnection().isVersionBeforeAsyncResponseChange()) {
            return false;
        }
        if (context.getSessionChannel().getConfirmationWindowSize() >= 0) {
            context.getSessionChannel().setCommandConfirmationHandler(packet -> {});
        }
        return true;
    }

    /**
     * The client marks a message as confirmed after it has completed the send, and takes no confirmation of one so marked: a message
     * that was sent again before would never be confirmed.
     */
    @Override
    protected boolean isLetGo(BytesMessage message) {
        return message instanceof ActiveMQMessage own && own.getCoreMessage().isConfirmed();
    }

    @Override
    public String stallReason() {
        return credits != null && credits.isBlocked()
            ? "the broker grants no credit to send: the address or the broker's memory or disk is full"
            : "";
    }
}
