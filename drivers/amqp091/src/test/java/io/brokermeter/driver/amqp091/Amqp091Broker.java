package io.brokermeter.driver.amqp091;

import static io.brokermeter.contract.BrokerTrait.SHARES_SHORT_RUNS;

import java.time.Duration;
import java.util.Optional;

import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.contract.tls.Wish;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;

/** A broker with AMQP 0-9-1, over one transport. */
class Amqp091Broker extends ThrowawayBroker {

    private Amqp091Broker(String kind, String transport) {
        super(new Amqp091Driver(), kind, "amqp091://HOST:PORT");
        login(SharedBroker.PASSWORD.reveal()).parameter("transport", transport).refusedTls("amqp091s://HOST:PORT")
            .tls("amqp091s://HOST:PORT", Wish::parameters);
    }

    /** What connects again by itself is the client library, whatever else these tests use. */
    @Override
    public Optional<ConnectionSettings> reconnecting(String host, int port) {
        return Optional.of(new ConnectionSettings("amqp091://" + host + ":" + port + "?automatic-recovery=true&recovery-interval=100", USER,
            SharedBroker.PASSWORD, null, Duration.ofSeconds(20)));
    }

    /** Qpid Broker-J starts fast enough to be killed by tests; it goes on with the consumer that is ready, as long as that takes all. */
    static ThrowawayBroker qpid(String transport) {
        var broker = new Amqp091Broker("qpid", transport).without(SHARES_SHORT_RUNS).killing("qpid")
            .rareKeepAlives("heartbeat=600");
        // what connects again is the client library, so once is enough
        return transport.equals("client") ? broker.restarting() : broker;
    }

    static ThrowawayBroker rabbitMq(String transport) {
        return new Amqp091Broker("rabbitmq", transport) {

            @Override
            public ConnectionSettings prioritising() {
                return settings().withProperty("max-priority", "9");
            }

            /** A queue of 200 messages that refuses the next one. */
            @Override
            public Optional<Destination> refusing(Destination fresh) throws Exception {
                var settings = settings().withProperty("max-length", "200").withProperty("overflow", "reject-publish");
                try (var connection = driver().connect(settings, new ConnectionLog())) {
                    connection.declare(fresh);
                }
                return Optional.of(fresh);
            }

            /** Names that begin so are the broker's own. */
            @Override
            public Optional<Destination> forbidden() {
                return Optional.of(new Destination(Destination.Kind.QUEUE, "amq.forbidden"));
            }
        };
    }
}
