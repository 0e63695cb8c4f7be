package io.brokermeter.driver.jakarta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.DriverContract;
import io.brokermeter.contract.Life;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.DriverException;
import io.brokermeter.spi.Secret;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With the JMS client of Artemis in the place of a user's provider. */
class JakartaContractTest extends DriverContract {

    private static final String FACTORY = "org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory";
    private static final String USER = "meter";
    private static final Secret PASSWORD = Secret.of("correct horse");
    /** Of every request; no test waits for it, so it may be as long as a burdened machine needs. */
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final String CLIENT =
        "?confirmationWindowSize=1048576&useGlobalPools=false&connectionTTL=3000&clientFailureCheckPeriod=1000";
    private static final Map<String, String> PARAMETERS = Map.of("client-jars", Jars.all(), "factory", FACTORY,
        "factory.blockOnDurableSend", "false", "factory.callTimeout", "" + TIMEOUT.toMillis());

    private static Broker broker;

    @BeforeAll
    static void startBroker() throws Exception {
        broker = Broker.start(BrokerName.parse("artemis"),
            BrokerOptions.defaults().withHeap("400m").withLogin(USER, PASSWORD)
                .withProperty("addressSettings.\"full.#\".maxSizeMessages", "50")
                .withProperty("addressSettings.\"full.#\".addressFullMessagePolicy", "FAIL"));
    }

    @AfterAll
    static void stopBroker() {
        broker.close();
    }

    @Override
    protected Driver driver() {
        return new JakartaDriver();
    }

    @Override
    protected ConnectionSettings settings() {
        return to(broker.url() + CLIENT, PASSWORD, PARAMETERS);
    }

    private static ConnectionSettings to(String url, Secret password, Map<String, String> parameters) {
        return new ConnectionSettings(url, USER, password, null, TIMEOUT, parameters);
    }

    @Override
    protected Optional<InetSocketAddress> address() {
        return Optional.of(new InetSocketAddress("127.0.0.1", broker.port()));
    }

    @Override
    protected ConnectionSettings settings(String host, int port) {
        return to("tcp://" + host + ":" + port + CLIENT, PASSWORD, PARAMETERS);
    }

    @Override
    protected Optional<ConnectionSettings> wrongPassword() {
        return Optional.of(to(broker.url() + CLIENT, Secret.of("battery staple"), PARAMETERS));
    }

    @Override
    protected Optional<ConnectionSettings> elsewhere(String host, int port) {
        return Optional.of(settings(host, port));
    }

    @Override
    protected Optional<ConnectionSettings> unknownSetting() {
        return Optional.of(settings().withProperty("factory.noSuchSetting", "1"));
    }

    @Override
    protected Optional<Destination> refusing() {
        return Optional.of(new Destination(Destination.Kind.QUEUE, "full." + UUID.randomUUID()));
    }

    @Override
    protected boolean deletes() {
        return false;
    }

    @Override
    protected Optional<Victim> victim() throws Exception {
        Broker own = Broker.start(BrokerName.parse("artemis"), BrokerOptions.defaults().withHeap("300m").withPersistent(false));
        return Optional.of(new Victim() {

            @Override
            public ConnectionSettings settings() {
                return to(own.url() + CLIENT, PASSWORD, PARAMETERS);
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
    void loadsTheProviderFromItsOwnJars() throws Exception {
        Class<?> factory = ProviderLoader.of(Jars.all()).loadClass(FACTORY);
        assertThat(factory).isNotSameAs(Class.forName(FACTORY));
        assertThat(jakarta.jms.ConnectionFactory.class).isAssignableFrom(factory);
    }

    @Test
    void namesTheProvider() throws Exception {
        Life life = new Life();
        connect(settings(), life);
        assertThat(life.notices()).singleElement().asString().contains("ActiveMQ", "2.");
    }

    @Test
    void findsTheConnectionFactoryInJndi(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("jndi.properties"),
            "java.naming.factory.initial=org.apache.activemq.artemis.jndi.ActiveMQInitialContextFactory\n"
            + "connectionFactory.Meter=" + broker.url() + CLIENT + "\n");
        ConnectionSettings settings = to("jms:", PASSWORD, Map.of("client-jars", Jars.all(), "jndi", file.toString(),
            "connection-factory", "Meter"));
        driver().check(settings);
        var queue = queue();
        var connection = connect(settings);
        Deliveries deliveries = new Deliveries();
        connection.consumer(queue, auto(), deliveries);
        Sends sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 10, "m");
        deliveries.await(10);
        sends.awaitConfirmed(10);
        assertThatThrownBy(() -> connect(settings.withProperty("connection-factory", "Other")))
            .hasMessageContaining("Other").hasMessageContaining("JNDI");
    }

    @Test
    void takesEverythingInAUrlOfItsOwn() throws Exception {
        String url = "jms:?factory=" + FACTORY + "&factory.brokerURL=tcp%3A%2F%2F127.0.0.1%3A" + broker.port();
        ConnectionSettings settings = to(url, PASSWORD, Map.of("client-jars", Jars.all()));
        driver().check(settings);
        connect(settings);
    }

    @Test
    void sendsSynchronouslyWhereTheProviderCannotOtherwise() throws Exception {
        ConnectionSettings settings = to("tcp://127.0.0.1:" + broker.port(), PASSWORD, Map.of("client-jars", Jars.all(),
            "factory", "org.apache.activemq.ActiveMQConnectionFactory"));
        Life life = new Life();
        var connection = connect(settings, life);
        var queue = queue();
        Deliveries deliveries = new Deliveries();
        connection.consumer(queue, auto(), deliveries);
        Sends sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 20, "m");
        sends.awaitConfirmed(20);
        deliveries.await(20);
        assertThat(sends.violations()).isEmpty();
        assertThat(life.notices()).anyMatch(notice -> notice.contains("no asynchronous sends"));
        var shared = new ConsumerSettings(AckMode.AUTO, 1, "shared", false, true, -1, false);
        assertThatThrownBy(() -> connection.consumer(topic(), shared, new Deliveries())).isInstanceOf(DriverException.class)
            .hasMessageContaining("topic://").hasMessageContaining("no such consumers");
        var strict = connect(settings.withProperty("sends", "async"), life);
        assertThatThrownBy(() -> send(strict.producer(queue, plain(), new Sends()), new Sends(), 0, 1, "m"))
            .hasMessageContaining("no asynchronous sends").hasMessageContaining("sends=async");
    }

    @Test
    void saysWhatIsMissing() {
        assertThatThrownBy(() -> driver().check(to("jms:", PASSWORD, Map.of()))).hasMessageContaining("factory")
            .hasMessageContaining("jndi");
        assertThatThrownBy(() -> driver().check(to("jms:", PASSWORD, Map.of("factory", "no.such.Factory"))))
            .hasMessageContaining("no.such.Factory").hasMessageContaining("--client-jars");
        assertThatThrownBy(() -> driver().check(to("jms:", PASSWORD, Map.of("factory", "java.lang.String"))))
            .hasMessageContaining("is no jakarta.jms.ConnectionFactory");
        assertThatThrownBy(() -> driver().check(to("jms:", PASSWORD,
            Map.of("factory", FACTORY, "client-jars", "/no/such.jar")))).hasMessageContaining("/no/such.jar");
        assertThatThrownBy(() -> driver().check(settings().withProperty("factorie", "x"))).hasMessageContaining("factory");
    }
}
