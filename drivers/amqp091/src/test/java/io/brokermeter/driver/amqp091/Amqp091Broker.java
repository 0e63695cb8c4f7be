package io.brokermeter.driver.amqp091;

import static io.brokermeter.contract.BrokerTrait.SHARES_SHORT_RUNS;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;

import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.contract.tls.Wish;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.parameter.Secret;

/** A broker that is used over AMQP 0-9-1, with one transport of the driver. */
class Amqp091Broker extends ThrowawayBroker {

    static final Secret PASSWORD = Secret.of("correct horse");

    private Amqp091Broker(String kind, String transport) {
        super(new Amqp091Driver(), kind, "amqp091://HOST:PORT");
        login(PASSWORD.reveal()).parameter("transport", transport).refusedTls("amqp091s://HOST:PORT")
            .tls("amqp091s://HOST:PORT", Wish::parameters).several("amqp091://", "", "");
    }

    /** Only the client library reconnects by itself, so these settings select it whatever the transport of the tests. */
    @Override
    public Optional<Callable<ConnectionSettings>> reconnecting(String host, int port) {
        return Optional.of(() -> new ConnectionSettings("amqp091://" + host + ":" + port + "?automatic-recovery=true&recovery-interval=100",
            USER, PASSWORD, null, Duration.ofSeconds(40)));
    }

    /**
     * Creates a Qpid Broker-J, which starts fast enough for tests that kill it. It delivers to one ready consumer for as long as that
     * consumer takes all messages, so short runs are not shared.
     */
    static ThrowawayBroker qpid(String transport) {
        var broker = new Amqp091Broker("qpid", transport).without(SHARES_SHORT_RUNS).killing("qpid")
            .rareKeepAlives("heartbeat=600");
        // only the client library reconnects, so the tests of one transport are enough
        return transport.equals("client") ? broker.restarting() : broker;
    }

    static ThrowawayBroker rabbitMq(String transport) {
        return new Amqp091Broker("rabbitmq", transport) {

            {
                with(LoginByCertificate::offered);
            }

            @Override
            public ConnectionSettings prioritising(ConnectionSettings settings) {
                return settings.withProperty("max-priority", "9");
            }

            /** Declares a queue that rejects messages beyond 200. */
            @Override
            public Optional<Callable<Destination>> refusing(Destination fresh) {
                return Optional.of(() -> {
                    var settings = settings().withProperty("max-length", "200").withProperty("overflow", "reject-publish");
                    try (var connection = driver().connect(settings, new ConnectionLog())) {
                        connection.declare(fresh);
                    }
                    return fresh;
                });
            }

            /** Names with this prefix are reserved by the broker. */
            @Override
            public Optional<Destination> forbidden() {
                return Optional.of(new Destination(Destination.Kind.QUEUE, "amq.forbidden"));
            }
        };
    }
}
