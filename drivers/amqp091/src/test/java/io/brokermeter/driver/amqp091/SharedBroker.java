package io.brokermeter.driver.amqp091;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.spi.Secret;

/** One broker of each kind for all tests of this module, since RabbitMQ takes its time to start. It ends with the JVM. */
final class SharedBroker {

    static final String USER = "meter";
    static final Secret PASSWORD = Secret.of("correct horse");

    private static final Map<String, Broker> RUNNING = new ConcurrentHashMap<>();

    private SharedBroker() {}

    static synchronized Broker of(String kind) throws BrokerException {
        var running = RUNNING.get(kind);
        if (running == null) {
            running = start(kind);
            RUNNING.put(kind, running);
            Runtime.getRuntime().addShutdownHook(new Thread(running::close));
        }
        return running;
    }

    private static Broker start(String kind) throws BrokerException {
        return Broker.start(BrokerName.parse(kind), BrokerOptions.defaults().withHeap("400m")
            .withLogin(USER, PASSWORD).withStartLimit(Duration.ofSeconds(120)));
    }
}
