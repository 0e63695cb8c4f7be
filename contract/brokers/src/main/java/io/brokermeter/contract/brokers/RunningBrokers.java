package io.brokermeter.contract.brokers;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import org.jspecify.annotations.Nullable;

/** The brokers of all test classes of a JVM, one for each kind and options, which are closed when the JVM ends. Thread-safe. */
final class RunningBrokers {

    private static final Map<Object, Start> STARTS = new ConcurrentHashMap<>();

    private RunningBrokers() {}

    /** Starts a broker once. If the start failed, reports the same failure again, so that not every test waits for it. */
    private static final class Start {

        private final BrokerName name;
        private final BrokerOptions options;
        private @Nullable Broker broker;
        private @Nullable BrokerException failure;

        Start(BrokerName name, BrokerOptions options) {
            this.name = name;
            this.options = options;
        }

        synchronized Broker broker() {
            if (broker == null && failure == null) {
                try {
                    var started = Broker.start(name, options);
                    Runtime.getRuntime().addShutdownHook(new Thread(started::close));
                    broker = started;
                } catch (BrokerException e) {
                    failure = e;
                }
            }
            if (broker == null) {
                throw new AssertionError(Objects.requireNonNull(failure).getMessage(), failure);
            }
            return broker;
        }
    }

    static Broker of(BrokerName name, BrokerOptions options) {
        return STARTS.computeIfAbsent(List.of(name, options), key -> new Start(name, options)).broker();
    }
}
