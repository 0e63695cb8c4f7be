package io.brokermeter.driver.core;

import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.brokermeter.driver.wire.Timer;
import io.brokermeter.spi.failure.Failure;
import jakarta.jms.JMSException;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.ActiveMQExceptionType;
import org.apache.activemq.artemis.api.core.Interceptor;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.apache.activemq.artemis.core.protocol.core.impl.ActiveMQClientProtocolManager;
import org.apache.activemq.artemis.core.protocol.core.impl.ActiveMQClientProtocolManagerFactory;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;
import org.apache.activemq.artemis.spi.core.remoting.ClientProtocolManager;
import org.apache.activemq.artemis.spi.core.remoting.Connection;
import org.apache.activemq.artemis.spi.core.remoting.SessionContext;
import org.apache.activemq.artemis.spi.core.remoting.TopologyResponseHandler;
import org.jspecify.annotations.Nullable;

/**
 * The client's protocol for one connection that the client does not restore by itself, with two additions:
 *
 * <ul>
 * <li>An attempt to connect ends when its TCP connection ends. The client waits for the broker's topology for {@code callTimeout} (30 s),
 *     whatever happens to the connection meanwhile.
 * <li>Sessions that send nothing can be created {@linkplain #withoutWindow without a confirmation window}. If the connection breaks, a
 *     broker keeps its sessions with such a window for {@code connectionTTL} (60 s), in case the client returns to them, and goes on
 *     delivering to their consumers.
 * </ul>
 *
 * Safe for use by any thread.
 */
final class CoreProtocol extends ActiveMQClientProtocolManagerFactory {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    /**
     * Number of looks in succession that must find the connection closed, so that an answer that arrived before the end is still reported.
     */
    private static final int LOOKS = 3;
    /** What the client reports only when the broker has said so. */
    private static final Set<ActiveMQExceptionType> ANSWERS = EnumSet.of(ActiveMQExceptionType.SECURITY_EXCEPTION,
        ActiveMQExceptionType.SESSION_CREATION_REJECTED, ActiveMQExceptionType.INCOMPATIBLE_CLIENT_SERVER_VERSIONS);
    private static final ScopedValue<Boolean> WITHOUT_WINDOW = ScopedValue.newInstance();

    private final ActiveMQConnectionFactory factory;
    private volatile @Nullable Connection carrier;
    private volatile boolean ended;

    private CoreProtocol(ActiveMQConnectionFactory factory) {
        this.factory = factory;
    }

    /**
     * Gives a factory this protocol. To be called before its first connection.
     *
     * @return the protocol, or null if the URL asks for another protocol, or asks the client to restore its connection
     */
    static @Nullable CoreProtocol install(ActiveMQConnectionFactory factory) {
        var locator = factory.getServerLocator();
        if (restores(locator) || locator.getProtocolManagerFactory().getClass() != ActiveMQClientProtocolManagerFactory.class) {
            return null;
        }
        var protocol = new CoreProtocol(factory);
        locator.setProtocolManagerFactory(protocol);
        return protocol;
    }

    /** Returns whether the client restores a connection that breaks, with the same broker or with another one. */
    static boolean restores(ServerLocator locator) {
        return locator.getReconnectAttempts() != 0 || locator.getFailoverAttempts() != 0;
    }

    @Override
    public ClientProtocolManager newProtocolManager() {
        return new Manager();
    }

    /** Creates sessions, on the calling thread, whose packets the broker does not confirm. */
    static <T> T withoutWindow(Making<T> making) throws JMSException {
        return ScopedValue.where(WITHOUT_WINDOW, true).call(making::make);
    }

    /** Creates sessions. */
    interface Making<T> {

        T make() throws JMSException;
    }

    /** Starts to watch an attempt to connect; cancelling the result ends that. */
    Future<?> watch() {
        return Timer.every(LOOK_NANOS, new Runnable() {

            private int closed;

            @Override
            public void run() {
                var current = carrier;
                closed = current != null && !current.isOpen() ? closed + 1 : 0;
                if (closed == LOOKS) {
                    ended = true;
                    // may wait for the client's locks, which the timer thread must not
                    Thread.ofPlatform().daemon().name("brokermeter-core-give-up").start(factory::close);
                }
            }
        });
    }

    /** Returns why an attempt failed: the client's exception, or the end of the connection. */
    Exception explain(Exception failure) {
        return explained(failure, ended);
    }

    /**
     * Returns why an attempt failed.
     *
     * @param ended whether the attempt was given up since its connection had ended
     */
    static Exception explained(Exception failure, boolean ended) {
        var said = Failure.find(failure, ActiveMQException.class);
        if (said != null && ANSWERS.contains(said.getType())) {
            // The broker closes the connection after its answer, which a busy machine may report after the looks have seen the end.
            return failure;
        }
        if (!ended) {
            return failure;
        }
        // suppressed, so that the sentence is shown and not only the deepest cause
        var end = new IOException("The connection ended before the broker had answered");
        end.addSuppressed(failure);
        return end;
    }

    private final class Manager extends ActiveMQClientProtocolManager {

        @Override
        public RemotingConnection connect(
                Connection transportConnection, long callTimeout, long callFailoverTimeout, List<Interceptor> incomingInterceptors,
                List<Interceptor> outgoingInterceptors, TopologyResponseHandler topologyResponseHandler) {
            carrier = transportConnection;
            return super.connect(transportConnection, callTimeout, callFailoverTimeout, incomingInterceptors, outgoingInterceptors,
                topologyResponseHandler);
        }

        @Override
        public SessionContext createSessionContext(
                String name, String username, String password, boolean xa, boolean autoCommitSends, boolean autoCommitAcks,
                boolean preAcknowledge, int minLargeMessageSize, int confirmationWindowSize, String clientID) throws ActiveMQException {
            return super.createSessionContext(name, username, password, xa, autoCommitSends, autoCommitAcks, preAcknowledge,
                minLargeMessageSize, WITHOUT_WINDOW.isBound() ? -1 : confirmationWindowSize, clientID);
        }
    }
}
