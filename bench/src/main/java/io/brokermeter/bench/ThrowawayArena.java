package io.brokermeter.bench;

import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import org.jspecify.annotations.Nullable;

/** Comparisons on a broker of one of brokermeter's own kinds. */
abstract class ThrowawayArena implements BenchBroker {

    final BenchLayout site;
    private @Nullable Broker broker;

    ThrowawayArena(BenchLayout layout) {
        this.site = layout;
    }

    final Broker start(String name, BrokerOptions options) throws BrokerException {
        Broker started = Broker.start(BrokerName.parse(name), options);
        broker = started;
        return started;
    }

    @Override
    public Stream<ProcessHandle> processes() {
        return broker == null ? Stream.empty() : broker.nodes().stream().flatMap(node -> ProcessHandle.of(node.pid()).stream())
            .flatMap(process -> Stream.concat(Stream.of(process), process.descendants()));
    }

    @Override
    public void close() {
        if (broker != null) {
            broker.close();
        }
    }
}
