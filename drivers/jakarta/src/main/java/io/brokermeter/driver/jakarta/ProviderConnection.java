package io.brokermeter.driver.jakarta;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.brokermeter.driver.jms.JmsConnection;
import io.brokermeter.driver.jms.JmsProducer;
import io.brokermeter.driver.jms.SendCompletion;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import jakarta.jms.BytesMessage;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.MessageProducer;
import jakarta.jms.ResourceAllocationException;
import jakarta.jms.Session;
import jakarta.jms.TransactionRolledBackException;

/**
 * A connection of any JMS provider. Destinations are created by the provider, if at all, when a producer or consumer is created on them.
 */
final class ProviderConnection extends JmsConnection {

    private final ConnectionFactory factory;
    private final boolean mustBeAsync;
    private final AtomicBoolean told = new AtomicBoolean();
    private volatile boolean synchronous;
    private volatile String client = "";

    ProviderConnection(
            jakarta.jms.Connection connection, ConnectionFactory factory, String sends, ConnectionListener listener,
            Duration limit) {
        super(connection, listener, limit);
        this.factory = factory;
        this.mustBeAsync = sends.equals("async");
        this.synchronous = sends.equals("sync");
    }

    @Override
    protected void start() throws JMSException {
        super.start();
        var data = jms().getMetaData();
        client = data.getJMSProviderName() + " " + data.getProviderVersion();
        listener().notice("The JMS provider is " + client + ".");
    }

    /** Returns name and version of the provider, as it reports them. */
    @Override
    public String client() {
        return client;
    }

    /**
     * Returns whether the broker refused. Providers throw exceptions of their own for failures on the way to the broker; only the
     * exceptions checked here are those that the interfaces define for refusals.
     */
    @Override
    protected boolean isRefusal(Throwable failure) {
        return super.isRefusal(failure) && (failure instanceof ResourceAllocationException || failure instanceof JMSSecurityException
            || failure instanceof InvalidDestinationException || failure instanceof MessageFormatException
            || failure instanceof TransactionRolledBackException || failure instanceof UnsupportedOperationException);
    }

    @Override
    public boolean declare(Destination destination) throws Exception {
        return call("declaring " + destination, () -> {
            try (Session session = jms().createSession(Session.AUTO_ACKNOWLEDGE)) {
                session.createProducer(jmsDestination(session, destination)).close();
            }
            return false;
        });
    }

    @Override
    protected JmsProducer newProducer(
            Session session, MessageProducer producer, Destination destination, ProducerSettings settings,
            SendListener sends) throws JMSException {
        return new ProviderProducer(session, producer, settings, sends);
    }

    @Override
    protected void released() {
        FactorySettings.close(factory);
    }

    /** A producer that sends asynchronously until the provider reports that it cannot. */
    private final class ProviderProducer extends JmsProducer {

        ProviderProducer(Session session, MessageProducer producer, ProducerSettings settings, SendListener listener) throws JMSException {
            super(ProviderConnection.this, session, producer, settings, listener);
        }

        @Override
        protected void sendAsync(BytesMessage message, SendCompletion completion) throws JMSException {
            if (!synchronous) {
                try {
                    super.sendAsync(message, completion);
                    return;
                } catch (UnsupportedOperationException | AbstractMethodError e) {
                    if (mustBeAsync) {
                        JMSException refusal = new JMSException("The JMS provider has no asynchronous sends (" + e.getMessage()
                            + "); leave out sends=async.");
                        refusal.initCause(e);
                        throw refusal;
                    }
                    synchronous = true;
                    if (told.compareAndSet(false, true)) {
                        listener().notice("The JMS provider has no asynchronous sends, so each send waits for what the"
                            + " provider waits for, and counts as confirmed when it returns.");
                    }
                }
            }
            try {
                jmsProducer().send(message);
            } catch (JMSException | RuntimeException e) {
                if (isRefusal(e)) {
                    throw e;
                }
                // The provider may have given the message to the broker before the answers ceased.
                completion.failed(e);
                return;
            }
            completion.confirmed();
        }
    }
}
