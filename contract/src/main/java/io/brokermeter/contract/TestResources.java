package io.brokermeter.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import org.jspecify.annotations.Nullable;

/**
 * The connections and wires that one test opened, and the destinations that it used, which are closed and deleted with it. Used by the
 * thread of the test.
 */
final class TestResources implements AutoCloseable {

    private final BrokerUnderTest broker;
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<Destination> used = new ArrayList<>();

    TestResources(BrokerUnderTest broker) {
        this.broker = broker;
    }

    BrokerUnderTest broker() {
        return broker;
    }

    Connection connect(ConnectionSettings settings, ConnectionLog log) throws Exception {
        var connection = broker.driver().connect(settings, log);
        opened.add(connection);
        return connection;
    }

    FaultProxy proxy() throws Exception {
        var proxy = broker.proxy();
        opened.addFirst(proxy);
        return proxy;
    }

    Destination fresh(Destination.Kind kind) {
        var destination = new Destination(kind, "contract." + UUID.randomUUID());
        used.add(destination);
        return destination;
    }

    @Override
    public void close() throws Exception {
        try {
            if (!used.isEmpty()) {
                var cleaner = broker.driver().connect(broker.settings(), new ConnectionLog());
                for (var connection : opened.reversed()) {
                    connection.close();
                }
                for (var destination : used) {
                    delete(cleaner, destination);
                }
                cleaner.close();
            }
        } finally {
            for (var resource : opened.reversed()) {
                resource.close();
            }
        }
    }

    /**
     * Deletes a destination, repeatedly: a broker may need some time to remove a consumer whose connection broke, and may not delete its
     * queue before.
     */
    private void delete(Connection cleaner, Destination destination) throws Exception {
        var last = new AtomicReference<@Nullable Exception>();
        Await.holdsWithin(broker.patience(), () -> {
            try {
                cleaner.delete(destination);
                last.set(null);
                return true;
            } catch (Exception e) {
                last.set(e);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
                return false;
            }
        });
        var failure = last.get();
        if (failure != null) {
            throw failure;
        }
    }
}
