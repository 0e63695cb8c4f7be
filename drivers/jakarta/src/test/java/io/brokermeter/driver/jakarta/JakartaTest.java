package io.brokermeter.driver.jakarta;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Behaviour of the driver beyond the contract. */
class JakartaTest extends BrokerTest {

    private static final ThrowawayBroker BROKER = JakartaContractTest.artemis();

    JakartaTest() {
        super(BROKER);
    }

    private static ConnectionSettings to(String url, Secret password, Map<String, String> parameters) {
        return new ConnectionSettings(url, ThrowawayBroker.USER, password, null, Duration.ofSeconds(60), parameters);
    }

    @Test
    void loadsTheProviderFromItsOwnJars() throws Exception {
        Class<?> factory = ProviderLoader.of(Jars.all()).loadClass(JakartaContractTest.FACTORY);
        assertThat(factory).isNotSameAs(Class.forName(JakartaContractTest.FACTORY));
        assertThat(jakarta.jms.ConnectionFactory.class).isAssignableFrom(factory);
    }

    @Test
    void namesTheProvider() throws Exception {
        ConnectionLog log = new ConnectionLog();
        connect(settings(), log);
        assertThat(log.notices()).singleElement().asString().contains("ActiveMQ", "2.");
    }

    @Test
    void findsTheConnectionFactoryInJndi(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("jndi.properties"),
            "java.naming.factory.initial=org.apache.activemq.artemis.jndi.ActiveMQInitialContextFactory\n"
                + "connectionFactory.Meter=" + BROKER.settings().url() + "\n");
        ConnectionSettings settings = to("jms:", JakartaContractTest.PASSWORD, Map.of("client-jars", Jars.all(), "jndi", file.toString(),
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
        String url = "jms:?factory=" + JakartaContractTest.FACTORY + "&factory.brokerURL=tcp%3A%2F%2F127.0.0.1%3A" + BROKER.port();
        ConnectionSettings settings = to(url, JakartaContractTest.PASSWORD, Map.of("client-jars", Jars.all()));
        driver().check(settings);
        connect(settings);
    }

    @Test
    void sendsSynchronouslyWhereTheProviderCannotOtherwise() throws Exception {
        ConnectionSettings settings = to("tcp://127.0.0.1:" + BROKER.port(), JakartaContractTest.PASSWORD, Map.of("client-jars", Jars.all(),
            "factory", "org.apache.activemq.ActiveMQConnectionFactory"));
        ConnectionLog log = new ConnectionLog();
        var connection = connect(settings, log);
        var queue = queue();
        Deliveries deliveries = new Deliveries();
        connection.consumer(queue, auto(), deliveries);
        Sends sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 20, "m");
        sends.awaitConfirmed(20);
        deliveries.await(20);
        assertThat(sends.violations()).isEmpty();
        assertThat(log.notices()).anyMatch(notice -> notice.contains("no asynchronous sends"));
        var shared = ConsumerSettings.of(its -> { its.subscription = "shared"; its.shared = true; });
        assertThatThrownBy(() -> connection.consumer(topic(), shared, new Deliveries())).isInstanceOf(DriverException.class)
            .hasMessageContaining("topic://").hasMessageContaining("no such consumers");
        var strict = connect(settings.withProperty("sends", "async"), log);
        assertThatThrownBy(() -> send(strict.producer(queue, plain(), new Sends()), new Sends(), 0, 1, "m"))
            .hasMessageContaining("no asynchronous sends").hasMessageContaining("sends=async");
    }

    @Test
    void saysWhatIsMissing() {
        assertThatThrownBy(() -> driver().check(to("jms:", JakartaContractTest.PASSWORD, Map.of()))).hasMessageContaining("factory")
            .hasMessageContaining("jndi");
        assertThatThrownBy(() -> driver().check(to("jms:", JakartaContractTest.PASSWORD, Map.of("factory", "no.such.Factory"))))
            .hasMessageContaining("no.such.Factory").hasMessageContaining("parameter client-jars");
        assertThatThrownBy(() -> driver().check(to("jms:", JakartaContractTest.PASSWORD, Map.of("factory", "java.lang.String"))))
            .hasMessageContaining("is no jakarta.jms.ConnectionFactory");
        assertThatThrownBy(() -> driver().check(to("jms:", JakartaContractTest.PASSWORD,
            Map.of("factory", JakartaContractTest.FACTORY, "client-jars", "/no/such.jar")))).hasMessageContaining("/no/such.jar");
        assertThatThrownBy(() -> driver().check(settings().withProperty("factorie", "x"))).hasMessageContaining("factory");
    }

    @Test
    void refusesHeadersThatJmsDoesNotAllow() {
        var header = ProducerSettings.of(its -> its.variants = List.of(new MessageVariant(null, -1, Map.of("content-type", "y"))));
        assertThatThrownBy(() -> driver().check(settings(), queue(), header)).hasMessageContaining("JMS")
            .hasMessageContaining("'content-type'");
    }
}
