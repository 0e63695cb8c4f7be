package io.brokermeter.driver.openwire;

import java.io.IOException;

import org.apache.activemq.command.BrokerInfo;
import org.apache.activemq.command.WireFormatInfo;
import org.apache.activemq.transport.TransportListener;
import org.jspecify.annotations.Nullable;

/** Receives the events of a connection's transport, starting before the connection exists. Called by threads of the client. */
final class TransportEvents implements TransportListener {

    /** Receives the events of the transport. */
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

    /** Reports events to {@code newObserver} from now on, and at once if the transport has failed before. */
    void observe(Observer newObserver) {
        observer = newObserver;
        var cause = failure;
        if (cause != null) {
            newObserver.failed(cause);
        }
    }

    /** Returns the last description of the broker's protocol implementation; null before the first one. */
    @Nullable WireFormatInfo peer() {
        return peer;
    }

    /** Returns the last description of the broker; null before the first one. */
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

    /** Reports that the transport was restored, unless it is the first connection, for which the client calls this method as well. */
    @Override
    public synchronized void transportResumed() {
        var told = observer;
        if (told != null && interrupted) {
            interrupted = false;
            told.restored();
        }
    }
}
