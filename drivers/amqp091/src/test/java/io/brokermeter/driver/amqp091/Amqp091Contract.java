package io.brokermeter.driver.amqp091;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

import io.brokermeter.brokers.Broker;
import io.brokermeter.contract.DriverContract;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Secret;

/** The contract against one kind of broker, over one transport. */
abstract class Amqp091Contract extends DriverContract {

    private static final Duration TIMEOUT = Duration.ofSeconds(8);

    private final String kind;
    private final String transport;

    Amqp091Contract(String kind, String transport) {
        this.kind = kind;
        this.transport = transport;
    }

    /** The broker of all tests. */
    final Broker broker() {
        try {
            return SharedBroker.of(kind);
        } catch (Exception e) {
            throw new AssertionError(e.getMessage(), e);
        }
    }

    @Override
    protected Driver driver() {
        return new Amqp091Driver();
    }

    /** Settings for a URL with the parameters of this class. */
    final ConnectionSettings withUrl(String url) {
        return new ConnectionSettings(url, SharedBroker.USER, SharedBroker.PASSWORD, null, TIMEOUT,
            Map.of("transport", transport));
    }

    @Override
    protected ConnectionSettings prioritising() {
        return kind.equals("rabbitmq") ? settings().withProperty("max-priority", "9") : settings();
    }

    private ConnectionSettings at(String host, int port) {
        return withUrl("amqp091://" + host + ":" + port);
    }

    @Override
    protected ConnectionSettings settings() {
        return at("127.0.0.1", broker().port());
    }

    @Override
    protected Optional<InetSocketAddress> address() {
        return Optional.of(new InetSocketAddress("127.0.0.1", broker().port()));
    }

    @Override
    protected ConnectionSettings settings(String host, int port) {
        return at(host, port);
    }

    /** What connects again by itself is the client library, whatever else these tests use. */
    @Override
    protected Optional<ConnectionSettings> reconnecting(String host, int port) {
        return Optional.of(new ConnectionSettings("amqp091://" + host + ":" + port
            + "?automatic-recovery=true&recovery-interval=100", SharedBroker.USER, SharedBroker.PASSWORD, null, TIMEOUT));
    }

    @Override
    protected Optional<ConnectionSettings> wrongPassword() {
        var settings = settings();
        return Optional.of(new ConnectionSettings(settings.url(), SharedBroker.USER, Secret.of("battery staple"), null,
            TIMEOUT, settings.properties()));
    }

    @Override
    protected Optional<ConnectionSettings> refusedTls() {
        return Optional.of(new ConnectionSettings("amqp091s://127.0.0.1:" + broker().port(), SharedBroker.USER,
            SharedBroker.PASSWORD, null, Duration.ofSeconds(3)));
    }

    @Override
    protected Optional<ConnectionSettings> elsewhere(String host, int port) {
        return Optional.of(at(host, port));
    }

    @Override
    protected Optional<ConnectionSettings> unknownSetting() {
        return Optional.of(withUrl("amqp091://localhost:1?noSuchSetting=1"));
    }
}
