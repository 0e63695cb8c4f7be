package io.brokermeter.driver.amqp;

import java.net.URI;

import org.apache.qpid.jms.meta.JmsResource;
import org.apache.qpid.jms.provider.Provider;
import org.apache.qpid.jms.provider.ProviderException;
import org.apache.qpid.jms.provider.ProviderWrapper;
import org.jspecify.annotations.Nullable;

/**
 * Overhears the life of a connection on its way from the provider to the client. The client's own connection listener
 * would cost a task for each message that arrives.
 */
final class ObservedProvider extends ProviderWrapper<Provider> {

    private volatile @Nullable Observer observer;

    ObservedProvider(Provider next) {
        super(next);
    }

    /** Hears the life of a connection, on the client's threads. */
    interface Observer {

        void failed(Throwable cause);

        void interrupted(URI broker);

        void restored();

        void closed(JmsResource resource, Throwable cause);
    }

    void observe(Observer newObserver) {
        observer = newObserver;
    }

    @Override
    public void onConnectionFailure(ProviderException cause) {
        var hearing = observer;
        if (hearing != null) {
            hearing.failed(cause);
        }
        super.onConnectionFailure(cause);
    }

    @Override
    public void onConnectionInterrupted(URI remoteURI) {
        var hearing = observer;
        if (hearing != null) {
            hearing.interrupted(remoteURI);
        }
        super.onConnectionInterrupted(remoteURI);
    }

    @Override
    public void onConnectionRestored(URI remoteURI) {
        super.onConnectionRestored(remoteURI);
        var hearing = observer;
        if (hearing != null) {
            hearing.restored();
        }
    }

    @Override
    public void onResourceClosed(JmsResource resource, ProviderException cause) {
        super.onResourceClosed(resource, cause);
        var hearing = observer;
        if (hearing != null) {
            hearing.closed(resource, cause);
        }
    }
}
