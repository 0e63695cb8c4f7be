package io.brokermeter.driver.redis;

import static io.brokermeter.contract.TestMessages.numbered;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.ConsumerPoller;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Retry;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.SlowDelivery;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.driver.wire.Wire;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.parameter.Secret;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Behaviour of the Redis driver beyond the contract. */
class RedisTest extends BrokerTest {

    RedisTest() {
        super(RedisContractTest.BROKER);
    }

    /** Opens a socket alone, as a user with all permissions. */
    private static RedisSocket client() throws Exception {
        return client(RedisContractTest.BROKER.port(), RedisSocket.command("AUTH", ThrowawayBroker.USER, RedisContractTest.PASSWORD));
    }

    static RedisSocket client(int port, byte[] login) throws Exception {
        var socket = new RedisSocket(Wire.over(SocketChannel.open(new InetSocketAddress("127.0.0.1", port))), new RespReader(),
            Duration.ofSeconds(60));
        if (login.length > 0) {
            socket.append(login);
            socket.ask(true);
        }
        return socket;
    }

    /** Users are commonly denied the dangerous commands, one of which is needed to read the version. */
    @Test
    void connectsAUserWhoMayNotAskForTheVersion() throws Exception {
        var pipe = client();
        pipe.ask("ACL", "SETUSER", "careful", "on", ">pw", "~*", "&*", "+@all", "-@dangerous");
        var usual = settings();
        var connection = connect(new ConnectionSettings(usual.url(), "careful", Secret.of("pw"), null, usual.connectTimeout(),
            usual.properties()));
        assertThat(connection.broker()).isEqualTo("Redis");
        var queue = queue();
        var deliveries = receiving(connection, queue);
        fill(queue, 3);
        deliveries.await(3);
        pipe.drop();
    }

    /** Guards against claiming only one batch per quarter of the claim time, and none behind ten messages that are being processed. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void takesOverAllThatAConsumerLeftAtOnce(boolean polling) throws Exception {
        var queue = queue();
        declare(queue);
        fill(queue, 40);
        var pipe = client();
        pipe.ask("XREADGROUP", "GROUP", "queue", "alive", "COUNT", "20", "STREAMS", queue.name(), ">");
        var left = (List<?>) pipe.ask("XREADGROUP", "GROUP", "queue", "killed", "COUNT", "20", "STREAMS", queue.name(), ">");
        var claim = new ArrayList<>(List.of("XCLAIM", queue.name(), "queue", "killed", "0"));
        for (var entry : (List<?>) ((List<?>) left.getFirst()).get(1)) {
            claim.add(new String((byte[]) ((List<?>) entry).getFirst(), StandardCharsets.US_ASCII));
        }
        claim.addAll(List.of("IDLE", "86400000", "JUSTID"));
        pipe.ask(claim.toArray(String[]::new));
        pipe.drop();
        var deliveries = new Deliveries();
        var consumer = connect(settings().withProperty("claim-after", "3600")).consumer(queue, ConsumerSettings.of(its -> {
            its.prefetch = 1;
            its.polling = polling;
        }), deliveries);
        if (polling) {
            try (var polls = new ConsumerPoller(consumer)) {
                deliveries.await(20);
                polls.check();
            }
        } else {
            deliveries.await(20);
        }
        assertThat(deliveries.texts()).isEqualTo(numbered("m", 20, 40));
        assertThat(deliveries.all()).allMatch(Deliveries.Delivery::redelivered);
    }

    /** The entries of one read would otherwise be delivered although the consumer is being closed. */
    @Test
    void givesBackWhatItHasReadWhenItCloses() throws Exception {
        // While the machine stalls, the close may not have begun when the listener returns.
        Retry.upToThree(() -> {
            var queue = queue();
            declare(queue);
            fill(queue, 10);
            var underWay = new CountDownLatch(1);
            var over = new CountDownLatch(1);
            var deliveries = new Deliveries(delivery -> {
                if (delivery.text().equals("m1")) {
                    underWay.countDown();
                    Await.until(() -> over.getCount() == 0, () -> "the test did not go on");
                }
                return Settlement.ACCEPT;
            });
            var consumer = connect().consumer(queue, ConsumerSettings.of(its -> its.mayBlock = true), deliveries);
            Await.until(() -> underWay.getCount() == 0, () -> "m1 did not come");
            var closing = new FutureTask<>(() -> {
                consumer.close();
                deliveries.closed();
                return null;
            });
            Thread.ofPlatform().daemon().start(closing);
            assertThat(Await.holdsWithin(Duration.ofMillis(100), closing::isDone)).isFalse();
            over.countDown();
            closing.get(60, TimeUnit.SECONDS);
            assertThat(deliveries.texts()).containsExactly("m0", "m1");
            var rest = receiving(connect(), queue);
            rest.await(8);
            assertThat(rest.texts()).isEqualTo(numbered("m", 2, 10));
            assertThat(deliveries.violations()).isEmpty();
        });
    }

    /** What its last read brought would otherwise wait for its close, or for others who take it over, accepted messages included. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void endsItsLastReadWhenTheListenerLeaves(boolean polling) throws Exception {
        var queue = queue();
        declare(queue);
        fill(queue, 10);
        var deliveries = new Deliveries(delivery -> delivery.text().equals("m3") ? Settlement.LEAVE : Settlement.ACCEPT);
        var consumer = connect().consumer(queue, ConsumerSettings.of(its -> its.polling = polling), deliveries);
        var polls = polling ? new ConsumerPoller(consumer) : null;
        var pipe = client();
        Await.until(() -> holders(pipe, queue).equals(Collections.nCopies(7, GroupMember.NOBODY)),
            () -> "pending: " + holders(pipe, queue));
        assertThat(deliveries.texts()).startsWith("m0", "m1", "m2");
        var rest = receiving(connect(), queue);
        rest.await(7);
        assertThat(rest.texts()).isEqualTo(numbered("m", 3, 10));
        if (polls != null) {
            polls.close();
        }
        consumer.close();
        pipe.drop();
    }

    /** Returns the members of the group that have messages, one for each message. */
    private static List<String> holders(RedisSocket pipe, Destination queue) {
        try {
            return ((List<?>) pipe.ask("XPENDING", queue.name(), "queue", "-", "+", "20")).stream()
                .map(each -> new String((byte[]) ((List<?>) each).get(1), StandardCharsets.US_ASCII)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void saysThatADeliveryOutlastedTheClose(boolean polling) throws Exception {
        SlowDelivery.of(this, polling).isReported();
    }

    /** Of 100 entries read at once, another consumer would claim those that a slow listener has not reached within 30 s. */
    @ParameterizedTest
    @CsvSource({"true, 0, 10", "false, 0, 100", "true, 30, 30"})
    void readsFewEntriesAtATimeWhereTheListenerMayTakeLong(boolean mayBlock, int prefetch, int read) throws Exception {
        var queue = queue();
        declare(queue);
        fill(queue, 120);
        var pipe = client();
        var pending = new AtomicReference<@Nullable Long>();
        var deliveries = new Deliveries(_ -> {
            pending.compareAndSet(null, pending(pipe, queue));
            return Settlement.ACCEPT;
        });
        var consumer = connect().consumer(queue, ConsumerSettings.of(its -> {
            its.mayBlock = mayBlock;
            its.prefetch = prefetch;
        }), deliveries);
        deliveries.await(120);
        consumer.close();
        assertThat(pending.get()).isEqualTo((long) read);
        pipe.drop();
    }

    /** Returns the number of entries that are not acknowledged. */
    private static long pending(RedisSocket pipe, Destination queue) {
        try {
            return (long) ((List<?>) pipe.ask("XPENDING", queue.name(), "queue")).getFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ten entries per round trip would limit the throughput over a long distance. */
    @Test
    void readsMoreAtATimeWhileTheListenerIsQuick() throws Exception {
        assertThat(sizesOfReads(3600, 0)).containsExactly(10L, 20L, 40L, 80L, 100L);
    }

    @Test
    void keepsReadingFewEntriesAtATimeWhileTheListenerIsSlow() throws Exception {
        assertThat(sizesOfReads(1, 2)).containsExactly(10L);
    }

    /** Returns the growing numbers of pending entries of a consumer that takes {@code millis} ms for each of 250 messages. */
    private List<Long> sizesOfReads(int claimAfter, long millis) throws Exception {
        var queue = queue();
        declare(queue);
        fill(queue, 250);
        var pipe = client();
        List<Long> sizes = new ArrayList<>(List.of(0L));
        var deliveries = new Deliveries(_ -> {
            long pending = pending(pipe, queue);
            if (pending > sizes.getLast()) {
                sizes.add(pending);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
            return Settlement.ACCEPT;
        });
        var consumer = connect(settings().withProperty("claim-after", Integer.toString(claimAfter))).consumer(queue,
            ConsumerSettings.of(its -> its.mayBlock = true), deliveries);
        deliveries.await(250);
        consumer.close();
        pipe.drop();
        return sizes.subList(1, sizes.size());
    }

    private static ConsumerSettings shared(String name) {
        return ConsumerSettings.of(its -> {
            its.subscription = name;
            its.shared = true;
        });
    }

    private static List<?> groups(RedisSocket pipe, Destination topic) throws Exception {
        return (List<?>) pipe.ask("XINFO", "GROUPS", topic.name());
    }

    /** Redis keeps a member whose connection broke; the group of the subscription must be removed nevertheless. */
    @Test
    void takesASharedSubscriptionAwayThoughAConsumerOfItWasLost() throws Exception {
        var proxy = proxy();
        var topic = topic();
        declare(topic);
        var log = new ConnectionLog();
        var broken = connect(settings(proxy.host(), proxy.port()), log);
        broken.consumer(topic, shared("s"), new Deliveries());
        var connection = connect();
        var other = connection.consumer(topic, shared("s"), new Deliveries());
        var pipe = client();
        proxy.cut();
        Await.until(() -> !log.losses().isEmpty(), () -> "the connection is not lost");
        broken.close();
        other.close();
        assertThat(groups(pipe, topic)).isEmpty();
        pipe.drop();
    }

    /** Guards against a first consumer that removes the group because it sees no other member in it. */
    @Test
    void keepsASharedSubscriptionForAConsumerThatGotNothingYet() throws Exception {
        var topic = topic();
        declare(topic);
        var connection = connect();
        var first = connection.consumer(topic, shared("s"), new Deliveries());
        var deliveries = new Deliveries();
        var second = connection.consumer(topic, shared("s"), deliveries);
        first.close();
        fill(topic, 3);
        deliveries.await(3);
        second.close();
        assertThat(deliveries.failures()).isEmpty();
        var pipe = client();
        assertThat(groups(pipe, topic)).isEmpty();
        pipe.drop();
    }

    /** Otherwise the next run with the same names would receive messages that were sent between the two runs. */
    @Test
    void beginsASharedSubscriptionAnewThatAKilledRunLeft() throws Exception {
        var topic = topic();
        declare(topic);
        var pipe = client();
        pipe.ask("XGROUP", "CREATE", topic.name(), "s", "$");
        fill(topic, 1);
        pipe.ask("XREADGROUP", "GROUP", "s", "killed", "NOACK", "STREAMS", topic.name(), ">");
        fill(topic, 3);
        var again = connect(settings().withProperty("claim-after", "3600"));
        var early = new Deliveries();
        var joined = again.consumer(topic, shared("s"), early);
        early.await(3);
        joined.close();
        fill(topic, 3);
        Thread.sleep(1100);
        var deliveries = new Deliveries();
        var connection = connect(settings().withProperty("claim-after", "1"));
        var consumer = connection.consumer(topic, shared("s"), deliveries);
        var sends = new Sends();
        send(connection.producer(topic, plain(), sends), sends, 0, 1, "new");
        deliveries.await(1);
        assertThat(deliveries.texts()).containsExactly("new0");
        consumer.close();
        assertThat(groups(pipe, topic)).isEmpty();
        pipe.drop();
    }
}
