package io.brokermeter.driver.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.DriverContract;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.DriverException;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RocketMqContractTest extends DriverContract {

    private static final Duration TIMEOUT = Duration.ofSeconds(8);

    private static Broker broker;

    @BeforeAll
    static void startBroker() throws Exception {
        broker = Broker.start(BrokerName.parse("rocketmq"), options());
    }

    private static BrokerOptions options() {
        return BrokerOptions.defaults().withHeap("400m").withStartLimit(Duration.ofMinutes(2))
            // The default gives up messages that waited for 200 ms, which a busy machine takes at any time.
            .withProperty("waitTimeMillsInSendQueue", "5000")
            // With more threads the broker itself changes the order of what is sent without waiting.
            .withProperty("sendMessageThreadPoolNums", "1").withProperty("endTransactionThreadPoolNums", "1");
    }

    @AfterAll
    static void stopBroker() {
        broker.close();
    }

    @Override
    protected Driver driver() {
        return new RocketMqDriver();
    }

    @Override
    protected ConnectionSettings settings() {
        return withUrl(broker.url());
    }

    private static ConnectionSettings withUrl(String url) {
        return new ConnectionSettings(url, null, null, null, TIMEOUT);
    }

    @Override
    protected Optional<InetSocketAddress> address() {
        return Optional.of(new InetSocketAddress("127.0.0.1", broker.port()));
    }

    /** The name server stays where it is, and its broker is reached through the other address. */
    @Override
    protected ConnectionSettings settings(String host, int port) {
        return settings().withProperty("broker-address", "127.0.0.1:" + broker.port() + "=" + host + ":" + port);
    }

    /** The precision of its timers, as it comes. */
    @Override
    protected long delayStepMillis() {
        return 1000;
    }

    @Override
    protected boolean hasEmptyBodies() {
        return false;
    }

    @Override
    protected ConnectionSettings spreading() {
        return settings().withProperty("queue-selection", "round-robin");
    }

    @Override
    protected String selector() {
        return "colour = 'red' AND shape STARTSWITH 'r'";
    }

    @Override
    protected Optional<ConnectionSettings> reconnecting(String host, int port) {
        return Optional.of(settings(host, port).withProperty("reconnect", "true"));
    }

    @Override
    protected Optional<ConnectionSettings> elsewhere(String host, int port) {
        return Optional.of(withUrl("rocketmq://" + host + ":" + port));
    }

    @Override
    protected Optional<ConnectionSettings> unknownSetting() {
        return Optional.of(withUrl("rocketmq://localhost:1?noSuchSetting=1"));
    }

    @Override
    protected Optional<Victim> victim() throws Exception {
        return Optional.of(new KilledBroker());
    }

    @ParameterizedTest
    @ValueSource(strings = {"send=sync", "send=oneway", "orderly=true", "delay-level=1", "pull-batch=1",
        "consume-batch=10", "consume-threads=4", "compressMsgBodyOverHowmuch=1"})
    void carriesMessagesWith(String parameter) throws Exception {
        var queue = queue();
        var parts = parameter.split("=");
        var connection = connect(settings().withProperty(parts[0], parts[1]));
        var deliveries = new Deliveries();
        connection.consumer(queue, auto(), deliveries);
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 50, "m");
        sends.awaitConfirmed(50);
        deliveries.await(50);
        assertThat(deliveries.texts()).hasSize(50).doesNotHaveDuplicates();
        assertThat(deliveries.violations()).isEmpty();
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void refusesDelaysInTransactions() throws Exception {
        var connection = connect();
        assertThatThrownBy(() -> connection.producer(queue(),
            new ProducerSettings(true, 0, 1000, false, false, true, 10, false, List.of(MessageVariant.PLAIN)), new Sends()))
            .isInstanceOf(DriverException.class).hasMessageContaining("--commit-interval");
    }

    @Test
    void refusesTwoDelays() throws Exception {
        var connection = connect(settings().withProperty("delay-level", "3"));
        assertThatThrownBy(() -> connection.producer(queue(),
            new ProducerSettings(true, 0, 1000, false, false, false, 10, false, List.of(MessageVariant.PLAIN)), new Sends()))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("delay-level");
    }

    @Test
    void createsTopicsWithAsManyQueuesAsAskedFor() throws Exception {
        var queue = queue();
        connect(settings().withProperty("queues", "8")).declare(queue);
        try (var control = Control.open(RocketMqSettings.of(driver(), settings()), closed -> { })) {
            assertThat(control.queues(Names.topic(queue), true)).hasSize(8);
        }
    }

    @Test
    void selectsByTag() throws Exception {
        var queue = queue();
        var red = new Deliveries();
        connect().consumer(queue, new ConsumerSettings(AckMode.AUTO, 1, null, false, false, -1, false, "red || green"), red);
        for (String tag : List.of("red", "blue", "green")) {
            var sends = new Sends();
            var producer = connect(settings().withProperty("tags", tag)).producer(queue, plain(), sends);
            producer.send(payload(tag), 0);
            sends.awaitConfirmed(1);
        }
        red.await(2);
        assertThat(red.texts()).containsExactlyInAnyOrder("red", "green");
    }

    @Test
    void refusesASelectorThatWouldNeverMatch() throws Exception {
        var connection = connect();
        assertThatThrownBy(() -> connection.consumer(queue(), new ConsumerSettings(AckMode.AUTO, 1, null, false, false, -1,
            false, "shape LIKE 'r%'"), new Deliveries())).hasMessageContaining("STARTSWITH");
    }

    @Test
    void leavesTheHomeDirectoryAlone() throws Exception {
        send(connect().producer(queue(), plain(), new Sends()), new Sends(), 0, 1, "m");
        assertThat(Path.of(System.getProperty("user.home"), "logs", "rocketmqlogs")).doesNotExist();
        assertThat(Path.of(System.getProperty("user.home"), ".rocketmq_offsets")).doesNotExist();
    }

    /** All its processes are killed at once. */
    private static final class KilledBroker implements Victim {

        private final Path directory = Files.createTempDirectory("contract");
        private final Broker running;

        KilledBroker() throws Exception {
            running = Broker.start(BrokerName.parse("rocketmq"), options().withDirectory(directory));
        }

        @Override
        public ConnectionSettings settings() {
            return withUrl(running.url());
        }

        @Override
        public ConnectionSettings reconnecting() {
            return settings().withProperty("reconnect", "true");
        }

        @Override
        public void kill() {
            running.kill();
        }

        @Override
        public void close() {
            running.close();
            try (var files = Files.walk(directory)) {
                files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }
}
