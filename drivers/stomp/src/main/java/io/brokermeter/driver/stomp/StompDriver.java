package io.brokermeter.driver.stomp;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionMemory;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.ServerUrl;
import io.brokermeter.spi.parameter.StoreParameter;

/**
 * The driver for STOMP 1.0 to 1.2. The protocol has no way to ask for the depth of a queue or to delete a queue, and leaves message ids and
 * timestamps to the broker.
 */
public final class StompDriver implements Driver {

    @Override
    public String protocol() {
        return "STOMP";
    }

    @Override
    public Set<String> schemes() {
        return StompSettings.SCHEMES;
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.complementOf(EnumSet.of(
            Capability.MESSAGE_IDS, Capability.TIMESTAMPS, Capability.DEPTH, Capability.RECONNECT, Capability.POLLING));
    }

    @Override
    public Set<Capability> capabilities(ConnectionSettings settings) {
        StompSettings given = StompSettings.of(this, settings);
        Set<Capability> can = EnumSet.copyOf(capabilities());
        if (!given.receipts()) {
            can.remove(Capability.CONFIRMATIONS);
        }
        if (given.ack() == StompSettings.Ack.AUTO) {
            can.removeAll(EnumSet.of(
                Capability.BATCH_ACKNOWLEDGEMENT, Capability.TRANSACTED_RECEIVE, Capability.PREFETCH));
        }
        if (given.ack() != null && given.ack() != StompSettings.Ack.INDIVIDUAL || given.version() == StompVersion.V1_0) {
            can.remove(Capability.REQUEUE);
            can.remove(Capability.REJECT);
        }
        Dialect dialect = given.dialect();
        if (dialect != null) {
            can.removeAll(dialect.lacks());
        }
        return can;
    }

    @Override
    public List<Parameter> parameters() {
        return StompSettings.PARAMETERS;
    }

    @Override
    public List<StoreParameter> stores() {
        return TlsOptions.STORES;
    }

    @Override
    public String client() {
        return "brokermeter's own";
    }

    @Override
    public boolean takesSource(ConnectionSettings settings) {
        return true;
    }

    @Override
    public void check(ConnectionSettings settings) {
        StompSettings.of(this, settings);
    }

    @Override
    public void check(ConnectionSettings settings, Destination destination, ProducerSettings producer) {
        StompProducer.check(producer);
    }

    @Override
    public void check(ConnectionSettings settings, Destination destination, ConsumerSettings consumer) {
        Limitations.checkPrefetch(consumer);
        Dialect dialect = StompSettings.of(this, settings).dialect();
        if (dialect != null) {
            dialect.checkPrefetch(consumer.prefetch());
        }
    }

    @Override
    public String effectiveUrl(ConnectionSettings settings) {
        ServerUrl url = ServerUrl.parse(settings.url(), StompSettings.SCHEMES, StompSettings.PORT);
        String query = url.query().entrySet().stream()
            .map(each -> each.getKey() + "=" + (each.getKey().contains("password") ? "***" : each.getValue()))
            .collect(Collectors.joining("&"));
        return query.isEmpty() ? url.address() : url.address() + "?" + query;
    }

    @Override
    public ConnectionMemory memory(ConnectionSettings settings) {
        return ConnectionMemory.SOCKET.withHeap(20_000);
    }

    @Override
    public Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception {
        return StompConnection.connect(settings, StompSettings.of(this, settings), listener);
    }
}
