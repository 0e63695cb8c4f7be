package io.brokermeter.driver.amqp.library;

import java.net.URI;
import java.util.Map;
import java.util.function.Consumer;

import org.apache.qpid.jms.meta.JmsProducerInfo;
import org.apache.qpid.jms.meta.JmsResource;
import org.apache.qpid.jms.meta.JmsSessionInfo;
import org.apache.qpid.jms.provider.AsyncResult;
import org.apache.qpid.jms.provider.Provider;
import org.apache.qpid.jms.provider.ProviderException;
import org.apache.qpid.jms.provider.ProviderWrapper;
import org.apache.qpid.jms.provider.amqp.AmqpSession;
import org.apache.qpid.proton.amqp.Symbol;
import org.jspecify.annotations.Nullable;

/**
 * Reports the events of a connection on their way from the provider to the client. The client's own connection listener would cost a task
 * for each message that arrives.
 */
final class ObservedProvider extends ProviderWrapper<Provider> {

    private final ThreadLocal<@Nullable JmsProducerInfo> created = new ThreadLocal<>();
    private volatile @Nullable Observer observer;
    private volatile @Nullable JmsSessionInfo session;

    ObservedProvider(Provider next) {
        super(next);
    }

    /** Receives the events of a connection, on the client's threads. */
    interface Observer {

        void failed(Throwable cause);

        void interrupted(URI broker);

        void restored();

        void closed(JmsResource resource, Throwable cause);
    }

    void observer(Observer newObserver) {
        observer = newObserver;
    }

    private void observe(Consumer<Observer> event) {
        var known = observer;
        if (known != null) {
            event.accept(known);
        }
    }

    /** Returns the client's description of the producer that this thread created last, and forgets it. */
    @Nullable JmsProducerInfo takeCreatedProducer() {
        var info = created.get();
        created.remove();
        return info;
    }

    /** Returns the broker's properties, sent when the connection was opened; empty before the first session. */
    Map<Symbol, Object> brokerProperties() {
        var info = session;
        if (info != null && info.getId().getProviderHint() instanceof AmqpSession opened) {
            var properties = opened.getConnection().getEndpoint().getRemoteProperties();
            return properties == null ? Map.of() : properties;
        }
        return Map.of();
    }

    @Override
    public void create(JmsResource resource, AsyncResult request) throws ProviderException {
        if (resource instanceof JmsProducerInfo info) {
            created.set(info);
        } else if (resource instanceof JmsSessionInfo info) {
            session = info;
        }
        super.create(resource, request);
    }

    @Override
    public void onConnectionFailure(ProviderException cause) {
        observe(each -> each.failed(cause));
        super.onConnectionFailure(cause);
    }

    @Override
    public void onConnectionInterrupted(URI remoteURI) {
        observe(each -> each.interrupted(remoteURI));
        super.onConnectionInterrupted(remoteURI);
    }

    @Override
    public void onConnectionRestored(URI remoteURI) {
        super.onConnectionRestored(remoteURI);
        observe(each -> each.restored());
    }

    @Override
    public void onResourceClosed(JmsResource resource, ProviderException cause) {
        super.onResourceClosed(resource, cause);
        observe(each -> each.closed(resource, cause));
    }
}
