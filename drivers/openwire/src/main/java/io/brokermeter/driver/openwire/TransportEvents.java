package io.brokermeter.driver.openwire;

import java.io.IOException;

import org.apache.activemq.command.BrokerInfo;
import org.apache.activemq.command.WireFormatInfo;
import org.apache.activemq.transport.TransportListener;
import org.jspecify.annotations.Nullable;

/**
 * Is notified of what happens to a connection's transport, from before there is a connection. Called by threads of the client.
 */
final class TransportEvents implements TransportListener {

    /** Who is notified. */
    interface Observer {

        void failed(IOException cause);

        void interrupted();

        void restored();
    }

    private volatile @Nullable Observer observer;
    private volatile @Nullable IOException failure;
    private volatile @Nullable WireFormatInfo peer;
    private volatile @Nullable BrokerInfo broker;
    private boolean interrupted;

    /** Tells {@code newObserver} from now on, and at once when the transport has failed before. */
    void observe(Observer newObserver) {
        observer = newObserver;
        var cause = failure;
        if (cause != null) {
            newObserver.failed(cause);
        }
    }

    /** What the broker said of its implementation of the protocol last; null before it did. */
    @Nullable WireFormatInfo peer() {
        return peer;
    }

    /** Which broker it said it is last; null before it did. */
    @Nullable BrokerInfo broker() {
        return broker;
    }

    @Override
    public void onCommand(Object command) {
        if (command instanceof WireFormatInfo info) {
            peer = info;
        } else if (command instanceof BrokerInfo info) {
            broker = info;
        }
    }

    @Override
    public void onException(IOException cause) {
        failure = cause;
        var told = observer;
        if (told != null) {
            told.failed(cause);
        }
    }

    @Override
    public synchronized void transportInterupted() {
        var told = observer;
        if (told != null) {
            interrupted = true;
            told.interrupted();
        }
    }

    /** Comes for the first connection, too. */
    @Override
    public synchronized void transportResumed() {
        var told = observer;
        if (told != null && interrupted) {
            interrupted = false;
            told.restored();
        }
    }
}
