package io.brokermeter.driver.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.DriverContract;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.Secret;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.DiscardPolicy;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StreamConfiguration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** JetStream. */
class NatsContractTest extends DriverContract {

    static final String USER = "meter";
    static final Secret PASSWORD = Secret.of("correct horse");

    static Broker broker;

    @BeforeAll
    static void startBroker() throws Exception {
        broker = Broker.start(BrokerName.parse("nats"), BrokerOptions.defaults().withLogin(USER, PASSWORD));
    }

    @AfterAll
    static void stopBroker() {
        broker.close();
    }

    @Override
    protected Driver driver() {
        return new NatsDriver();
    }

    ConnectionSettings to(String url, Secret password) {
        return new ConnectionSettings(url, USER, password, null, Duration.ofSeconds(8), Map.of("ack-wait", "4"));
    }

    @Override
    protected ConnectionSettings settings() {
        return to(broker.url(), PASSWORD);
    }

    @Override
    protected Optional<InetSocketAddress> address() {
        return Optional.of(new InetSocketAddress("127.0.0.1", broker.port()));
    }

    @Override
    protected ConnectionSettings settings(String host, int port) {
        return to("nats://" + host + ":" + port, PASSWORD);
    }

    @Override
    protected Optional<ConnectionSettings> wrongPassword() {
        return Optional.of(to(broker.url(), Secret.of("battery staple")));
    }

    @Override
    protected Optional<ConnectionSettings> elsewhere(String host, int port) {
        return Optional.of(settings(host, port));
    }

    @Override
    protected Optional<ConnectionSettings> unknownSetting() {
        return Optional.of(to(broker.url() + "?noSuchSetting=1", PASSWORD));
    }

    /** A stream of 200 messages that refuses the next one. */
    @Override
    protected Optional<Destination> refusing() throws Exception {
        var queue = queue();
        var options = new Options.Builder().server(broker.url()).userInfo(USER.toCharArray(), PASSWORD.reveal().toCharArray()).build();
        try (var connection = Nats.connect(options)) {
            connection.jetStreamManagement().addStream(StreamConfiguration.builder()
                .name(queue.name().replaceAll("[^A-Za-z0-9_-]", "_")).subjects(queue.name())
                .retentionPolicy(RetentionPolicy.WorkQueue).maxMessages(200).discardPolicy(DiscardPolicy.New).build());
        }
        return Optional.of(queue);
    }

    @Override
    protected Optional<Victim> victim() throws Exception {
        Broker own = Broker.start(BrokerName.parse("nats"));
        return Optional.of(new Victim() {

            @Override
            public ConnectionSettings settings() {
                return to(own.url(), PASSWORD);
            }

            @Override
            public void kill() {
                own.kill();
            }

            @Override
            public void close() {
                own.close();
            }
        });
    }

    @Test
    void namesTheServerWithItsVersion() throws Exception {
        assertThat(connect().broker()).matches("NATS \\d+\\.\\d+.*");
    }

    @Test
    void sendsHeaders() throws Exception {
        var queue = queue();
        var connection = connect();
        var deliveries = new Deliveries();
        connection.consumer(queue, auto(), deliveries);
        var sends = new Sends();
        send(connection.producer(queue, new ProducerSettings(true, 0, null, false, false, false, 100,
            Map.of("colour", "red")), sends), sends, 0, 5, "m");
        sends.awaitConfirmed(5);
        deliveries.await(5);
    }

    @Test
    void refusesNamesThatAreNoSubjects() {
        assertThatThrownBy(() -> driver().check(settings(), new Destination(Destination.Kind.QUEUE, "a.*.b")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("a.*.b");
        driver().check(settings(), new Destination(Destination.Kind.QUEUE, "a.b-c_d"));
    }

    @Test
    void offersNoPersistenceFromMemory() {
        assertThat(driver().capabilities(new ConnectionSettings(broker.url(), null, null, null, Duration.ofSeconds(1),
            Map.of("storage", "memory"))))
            .doesNotContain(Capability.PERSISTENCE).contains(Capability.CONFIRMATIONS);
    }
}
