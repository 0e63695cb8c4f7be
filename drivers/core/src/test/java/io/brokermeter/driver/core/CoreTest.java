package io.brokermeter.driver.core;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.awaitDepth;
import static io.brokermeter.contract.TestMessages.consumer;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;

import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.api.Test;

/** Requirements of CORE beyond the contract. */
class CoreTest extends BrokerTest {

    private static final ThrowawayBroker BROKER = CoreContractTest.artemis();

    CoreTest() {
        super(BROKER);
    }

    @Test
    void namesTheVersionOfItsBroker() throws Exception {
        assertThat(connect().broker()).matches("ActiveMQ Artemis \\d+\\.\\d+.*");
    }

    @Test
    void namesThePathThatReallyRuns() throws Exception {
        assertThat(connect().client()).matches("artemis-jakarta-client \\d+\\.\\d+.* with brokermeter's own transport");
        var log = new ConnectionLog();
        assertThat(connect(BROKER.withUrl(BROKER.settings().url() + "?transport=client"), log).client())
            .matches("artemis-jakarta-client \\d+\\.\\d+.* with its own transport .*");
        assertThat(log.notices()).noneMatch(notice -> notice.contains("transport"));
        assertThat(connect(BROKER.withUrl(BROKER.settings().url() + "?batchDelay=1"), log).client()).contains("with its own transport");
        assertThat(log.notices()).anyMatch(notice -> notice.contains("because of the parameter batchDelay"));
        assertThat(driver().effectiveUrl(BROKER.withUrl(BROKER.settings().url() + "?transport=client"))).doesNotContain("transport=");
        assertThatThrownBy(() -> driver().check(BROKER.withUrl("tcp://h:1?sslEnabled=true&sniHost=h&transport=own")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("transport=own").hasMessageContaining("sniHost");
        assertThatThrownBy(() -> driver().check(BROKER.withUrl("tcp://h:1?transport=pigeon"))).hasMessageContaining("own or client");
    }

    @Test
    void goesWithoutTheClientWhereThatIsAskedFor() throws Exception {
        var log = new ConnectionLog();
        var connection = connect(BROKER.withUrl(BROKER.settings().url() + "?transport=codec"), log);
        assertThat(log.notices()).singleElement().asString().contains("confirmationWindowSize=32768");
        var queue = queue();
        connection.producer(queue, plain(), new Sends());
        assertThat(connection.client()).isEqualTo("brokermeter's own CORE path (protocol of Artemis 2.37)");
        connection.consumer(queue, consumer(AckMode.TRANSACTED, 1), new Deliveries());
        assertThat(log.notices()).hasSize(2).last().asString().contains("artemis-jakarta-client", "transactions");
        assertThat(connection.client()).startsWith("brokermeter's own CORE path").contains("; artemis-jakarta-client");
        assertThatThrownBy(() -> driver().check(BROKER.withUrl("tcp://h:1?transport=codec&autoGroup=true")))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("transport=codec does not go together with the parameter autoGroup, which "
                + "brokermeter's own CORE path has not; leave transport=codec out.");
        assertThatThrownBy(() -> driver().check(BROKER.withUrl("tcp://h:1?transport=codec").withClientId("me")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("a client id");
    }

    @Test
    void refusesHeadersThatJmsDoesNotAllow() {
        var header = ProducerSettings.of(its -> its.variants = List.of(new MessageVariant(null, -1, Map.of("content-type", "y"))));
        assertThatThrownBy(() -> driver().check(settings(), queue(), header)).hasMessageContaining("JMS")
            .hasMessageContaining("'content-type'");
    }

    @Test
    void setsItsWindowsAndSaysSo() throws Exception {
        var log = new ConnectionLog();
        connect(settings(), log);
        assertThat(log.notices()).singleElement().asString().contains("confirmationWindowSize=32768",
            "producerWindowSize=1048576");
        assertThat(driver().effectiveUrl(settings())).contains("confirmationWindowSize=32768", "producerWindowSize=1048576");
    }

    @Test
    void leavesAUrlAloneThatSetsTheConfirmationWindow() throws Exception {
        var log = new ConnectionLog();
        var settings = BROKER.withUrl(BROKER.settings().url() + "?confirmationWindowSize=20000");
        connect(settings, log);
        assertThat(log.notices()).isEmpty();
        assertThat(driver().effectiveUrl(settings)).endsWith("?confirmationWindowSize=20000");
        settings = BROKER.withUrl(BROKER.settings().url() + "?confirmationWindowSize=-1");
        connect(settings, log);
        assertThat(log.notices()).singleElement().asString().contains("no more than that the client has written");
    }

    /** Credit alone must not take away what a confirmation means. */
    @Test
    void addsTheConfirmationWindowToAUrlThatSetsTheOther() throws Exception {
        var log = new ConnectionLog();
        var settings = BROKER.withUrl(BROKER.settings().url() + "?producerWindowSize=65536");
        connect(settings, log);
        assertThat(driver().effectiveUrl(settings)).endsWith("?producerWindowSize=65536&confirmationWindowSize=32768");
        assertThat(log.notices()).singleElement().asString().contains("confirmationWindowSize=32768").doesNotContain("producerWindowSize");
    }

    @Test
    void reachesAQueueByItsFullyQualifiedName() throws Exception {
        var connection = connect();
        var plainName = queue();
        var queue = new Destination(Destination.Kind.QUEUE, plainName.name() + "::" + plainName.name() + ".q");
        assertThat(connection.declare(queue)).isTrue();
        var deliveries = new Deliveries();
        var consumer = connection.consumer(queue, auto(), deliveries);
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 5, "m");
        deliveries.await(5);
        consumer.close();
        awaitDepth(connection, queue, 0);
        connection.delete(queue);
        assertThat(connection.declare(queue)).isTrue();
        connection.delete(queue);
    }
}
