package io.brokermeter.cli;

import java.util.Optional;
import java.util.function.UnaryOperator;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;

/** A broker outside the program under test. */
final class TestBroker implements AutoCloseable {

    final Broker broker;

    private TestBroker(Broker broker) {
        this.broker = broker;
    }

    static TestBroker start() throws Exception {
        return start(options -> options);
    }

    static TestBroker start(UnaryOperator<BrokerOptions> change) throws Exception {
        return new TestBroker(Broker.start(new BrokerName("artemis", Optional.empty()),
            change.apply(BrokerOptions.defaults().withHeap("256m"))));
    }

    String url() {
        return broker.url();
    }

    @Override
    public void close() {
        if (broker.isAlive()) {
            // A frozen process would not react to the request to end.
            broker.node().resume();
        }
        broker.close();
    }
}
