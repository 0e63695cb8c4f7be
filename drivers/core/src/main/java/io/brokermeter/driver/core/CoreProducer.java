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

/** A producer that reports whether the broker grants it credit. */
final class CoreProducer extends JmsProducer {

    private final @Nullable ClientProducerCredits credits;

    CoreProducer(
            JmsConnection connection, Session session, MessageProducer producer, ProducerSettings settings,
            SendListener listener) throws JMSException {
        super(connection, session, producer, settings, listener);
        this.credits = credits(session);
    }

    /** Returns the credits of the producer in a session; null if they are not accessible. The session belongs to one producer alone. */
    private static @Nullable ClientProducerCredits credits(Session session) {
        if (session instanceof ActiveMQSession jms && jms.getCoreSession() instanceof ClientSessionImpl core) {
            for (var producer : core.cloneProducers()) {
                return producer.getProducerCredits();
            }
        }
        return null;
    }

    /**
     * {@inheritDoc}
     *
     * <p>Returns false if the client reconnects by itself: it may then send a packet again and complete a send twice.
     *
     * <p>Besides answering each send, the broker confirms from time to time, after a number of bytes, up to which packet it has read, and
     * the client then completes the sends of those packets as well. It recognizes a send that is already completed by a mark on the
     * message. On a reused message the mark belongs to the later send, which would be completed before the broker has it. Therefore these
     * completions are suppressed here; a packet that is not answered yet at such a confirmation is still completed by its answer, which
     * carries its number.
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
     * Returns whether the client has marked the message as confirmed, which it does after it has completed the send. The client ignores the
     * confirmation of a marked message, so a message that is sent again before would never be confirmed.
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
