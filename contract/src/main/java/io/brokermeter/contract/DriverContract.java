package io.brokermeter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.Secret;
import io.brokermeter.spi.Settlement;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What every driver must do. A driver's test class extends this one and names its driver and its broker; what its
 * protocol or broker cannot do is left out with the reason.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
public abstract class DriverContract {

    private static final int WINDOW = 100;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<Destination> used = new ArrayList<>();

    // ---- what a driver's test names

    /** The driver under test. */
    protected abstract Driver driver();

    /**
     * The longest that something may take which has a limit of its own, like a request to a broker that stopped answering:
     * generous, since a burdened machine must keep it.
     */
    protected Duration patience() {
        return Duration.ofSeconds(25);
    }

    /** How to reach its broker, which runs during all tests. */
    protected abstract ConnectionSettings settings();

    /** Where the broker listens, for tests that cut the wire; empty for a broker without a network. */
    protected Optional<InetSocketAddress> address() {
        return Optional.empty();
    }

    /**
     * How to reach the broker through another address. When the connection breaks, the broker should give back within
     * seconds what was not acknowledged.
     */
    protected ConnectionSettings settings(String host, int port) {
        throw new UnsupportedOperationException("There is no other address.");
    }

    /** The port on which the wire to {@link #address()} must listen, for a broker that tells its clients where it is; 0 for any. */
    protected int wirePort() {
        return 0;
    }

    /** Whether the client always repairs a broken connection by itself, so that cutting the wire ends nothing. */
    protected boolean repairsEveryCut() {
        return false;
    }

    /**
     * Settings with which the messages of one producer spread over the consumers that share them, where that does not go
     * together with their order.
     */
    protected ConnectionSettings spreading() {
        return settings();
    }

    /** Whether the broker says that it delivered a message before, when the connection broke under the first try. */
    protected boolean flagsRedeliveryAfterABrokenConnection() {
        return true;
    }

    /**
     * Whether a queue keeps what nobody is there to receive. Where it does not, the tests open a consumer before they send,
     * and what needs the keeping is left to the driver's own tests.
     */
    protected boolean queuesKeepMessages() {
        return true;
    }

    /** Whether the broker delivers what one producer sent in the order it was sent; where not, the order is not looked at. */
    protected boolean brokerKeepsOrder() {
        return true;
    }

    /** Whether {@link Producer#stallReason()} tells that the broker grants no credit. */
    protected boolean tellsMissingCredit() {
        return false;
    }

    /** Whether the broker gives each of several waiting consumers a part of a short run. */
    protected boolean sharesShortRuns() {
        return true;
    }

    /** Whether the protocol has messages with an empty body. */
    protected boolean hasEmptyBodies() {
        return true;
    }

    /**
     * Whether two waiting consumers of a queue each get all messages of a group, or none of them. Where the protocol's group
     * means something else, it is not looked at.
     */
    protected boolean groupsStayTogether() {
        return true;
    }

    /** Settings with which a destination is declared that orders what waits there by priority. */
    protected ConnectionSettings prioritising() {
        return settings();
    }

    /** Whether a backlog comes in the order of priority from a destination of {@link #prioritising()}. */
    protected boolean ordersByPriority() {
        return true;
    }

    /** A delay that the broker keeps exactly or exceeds, in milliseconds. */
    protected long delayMillis() {
        return 600;
    }

    /** Whether the broker says that it delivered a message before, when its consumer gave it back. */
    protected boolean flagsWhatWasGivenBack() {
        return true;
    }

    /** The broker's way to say: colour is red, and shape begins with r. */
    protected String selector() {
        return "colour = 'red' AND shape LIKE 'r%'";
    }

    /**
     * By how much a message may come later than {@link #delayMillis()} for no other reason than the broker's steps of time, in
     * milliseconds. A driver itself rounds to milliseconds at most.
     */
    protected long delayStepMillis() {
        return 0;
    }

    /** Whether the broker has a message until it is acknowledged, so that what nobody acknowledged comes again. */
    protected boolean keepsUntilAcknowledged() {
        return queuesKeepMessages();
    }

    /** Whether {@link Connection#delete} can delete a queue; false for a protocol that has no way to do so. */
    protected boolean deletes() {
        return true;
    }

    /** A queue that the broker declares full after some hundred messages of 1 KiB, and then refuses more; empty when there is none. */
    protected Optional<Destination> refusing() throws Exception {
        return Optional.empty();
    }

    /** Settings of a connection that reconnects by itself; empty when the client cannot. */
    protected Optional<ConnectionSettings> reconnecting(String host, int port) {
        return Optional.empty();
    }

    /** Settings with a wrong password for a broker that asks for one. */
    protected Optional<ConnectionSettings> wrongPassword() {
        return Optional.empty();
    }

    /** Settings with TLS for a port that does not speak it. */
    protected Optional<ConnectionSettings> refusedTls() {
        return Optional.empty();
    }

    /** Settings whose URL names a host and port; the answer must be settings like those of {@link #settings()}. */
    protected Optional<ConnectionSettings> elsewhere(String host, int port) {
        return Optional.empty();
    }

    /** Settings with a parameter that the client does not know, called {@code noSuchSetting}. */
    protected Optional<ConnectionSettings> unknownSetting() {
        return Optional.empty();
    }

    /** A destination that the broker does not let us create. */
    protected Optional<Destination> forbidden() {
        return Optional.empty();
    }

    /** Starts a broker of its own for a test that kills it; empty when that cannot be done. */
    protected Optional<Victim> victim() throws Exception {
        return Optional.empty();
    }

    /** Sends a message without a byte body by other means; false when that cannot be done. */
    protected boolean sendForeign(Destination destination) throws Exception {
        return false;
    }

    /** A broker that a test kills. */
    public interface Victim extends AutoCloseable {

        ConnectionSettings settings();

        void kill();

        /** Starts it again where it was, with all it had stored; false when that cannot be done. */
        default boolean startAgain() throws Exception {
            return false;
        }

        /** Settings of a connection that reconnects by itself to the broker when it is started again. */
        default ConnectionSettings reconnecting() {
            return settings();
        }

        @Override
        void close();
    }

    // ---- messages and confirmations

    @Test
    void deliversEveryMessageWithItsBytes() throws Exception {
        var queue = queue();
        var connection = connect();
        var deliveries = new Deliveries();
        connection.consumer(queue, auto(), deliveries);
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        var random = new Random(1);
        var bodies = new ArrayList<byte[]>();
        for (int i = 0; i < 50; i++) {
            var body = new byte[1 + random.nextInt(3000)];
            random.nextBytes(body);
            bodies.add(body);
            producer.send(new Payload(body.clone()), i);
        }
        producer.flush();
        deliveries.await(50);
        sends.awaitConfirmed(50);
        var arrived = deliveries.all().stream().map(Deliveries.Delivery::bytes).toList();
        if (!brokerKeepsOrder()) {
            bodies.sort(Arrays::compare);
            arrived = arrived.stream().sorted(Arrays::compare).toList();
        }
        for (int i = 0; i < 50; i++) {
            assertThat(arrived.get(i)).isEqualTo(bodies.get(i));
            assertThat(deliveries.all().get(i).redelivered()).isFalse();
        }
    }

    @Test
    void takesWhatItMustKeepBeforeSendReturns() throws Exception {
        var queue = queue();
        var arriving = arriving(queue);
        var connection = connect();
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        var payload = new Payload(new byte[16]);
        for (int i = 0; i < 20; i++) {
            Arrays.fill(payload.bytes(), (byte) ('a' + i));
            producer.send(payload, i);
        }
        Arrays.fill(payload.bytes(), (byte) '!');
        producer.flush();
        assertReceived(arriving.await(20),
            IntStream.range(0, 20).mapToObj(i -> String.valueOf((char) ('a' + i)).repeat(16)).toList());
    }

    @Test
    void confirmsOnlyAfterTheBrokerHasIt() throws Exception {
        needs(Capability.CONFIRMATIONS);
        var wire = wire();
        var queue = queue();
        declare(queue);
        var arriving = arriving(queue);
        var connection = connect(settings(wire.host(), wire.port()));
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        send(producer, sends, 0, 1, "first ");
        sends.awaitConfirmed(1);
        wire.hold();
        producer.send(payload("held back"), 1);
        producer.flush();
        assertThat(Await.holdsWithin(Duration.ofMillis(500), () -> sends.reported() > 1)).isFalse();
        wire.release();
        sends.awaitConfirmed(2);
        assertReceived(arriving.await(2), List.of("first 0", "held back"));
    }

    @Test
    void everyConfirmedMessageCanBeReceivedLater() throws Exception {
        var queue = queue();
        var first = connect();
        first.declare(queue);
        var arriving = arriving(queue);
        var sends = new Sends();
        var producer = first.producer(queue, plain(), sends);
        send(producer, sends, 0, 200, "m");
        sends.awaitConfirmed(200);
        first.close();
        assertReceived(arriving.await(200), numbered("m", 0, 200));
    }

    @Test
    void reportsEachTokenExactlyOnceAndKeepsTheOrderOfAProducer() throws Exception {
        var queue = queue();
        var connection = connect();
        var deliveries = new Deliveries();
        connection.consumer(queue, auto(), deliveries);
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        send(producer, sends, 0, 5000, "");
        sends.awaitConfirmed(5000);
        deliveries.await(5000);
        producer.close();
        assertThat(sends.violations()).isEmpty();
        assertThat(sends.reported()).isEqualTo(5000);
        assertReceived(deliveries, numbered("", 0, 5000));
        assertThat(deliveries.violations()).isEmpty();
    }

    @Test
    void takesMoreUnconfirmedSendsThanWasHinted() throws Exception {
        var queue = queue();
        var connection = connect();
        var sends = new Sends();
        var producer = connection.producer(queue,
            new ProducerSettings(false, 0, null, false, false, false, 0), sends);
        for (int i = 0; i < 5000; i++) {
            producer.send(payload("" + i), i);
        }
        producer.flush();
        sends.awaitConfirmed(5000);
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void sendsPersistentMessagesWithIdTimestampGroupAndTimeToLive() throws Exception {
        needs(Capability.PERSISTENCE);
        needs(Capability.MESSAGE_IDS);
        needs(Capability.TIMESTAMPS);
        needs(Capability.MESSAGE_GROUPS);
        needs(Capability.TIME_TO_LIVE);
        var queue = queue();
        var arriving = arriving(queue);
        var connection = connect();
        var sends = new Sends();
        var producer = connection.producer(queue,
            new ProducerSettings(true, 60_000, "group", true, true, false, WINDOW), sends);
        send(producer, sends, 0, 100, "p");
        sends.awaitConfirmed(100);
        assertReceived(arriving.await(100), numbered("p", 0, 100));
    }

    @Test
    void takesBodiesOfAnyLengthFromOnePayload() throws Exception {
        var queue = queue();
        var arriving = arriving(queue);
        var connection = connect();
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        var random = new Random(3);
        byte[][] arrays = {new byte[64], new byte[3000], new byte[64], new byte[70_000]};
        int[] lengths = {10, 64, 1, 63, 255, 256, 3000, 2, 64, 70_000, 17, 300, 5, 69_999, 1};
        int[] from = {0, 0, 0, 2, 1, 1, 1, 1, 2, 3, 2, 3, 0, 3, 3};
        var payload = new Payload(arrays[0]);
        var bodies = new ArrayList<byte[]>();
        for (int i = 0; i < lengths.length; i++) {
            var array = arrays[from[i]];
            random.nextBytes(array);
            bodies.add(Arrays.copyOf(array, lengths[i]));
            payload.body(array, lengths[i]);
            producer.send(payload, i);
            if (i % 4 == 3) {
                producer.flush();
            }
        }
        for (var array : arrays) {
            Arrays.fill(array, (byte) '!');
        }
        producer.flush();
        assertBodies(arriving.await(lengths.length), bodies);
        sends.awaitConfirmed(lengths.length);
    }

    @Test
    void takesBodiesOfAnyLengthIntoATransaction() throws Exception {
        needs(Capability.TRANSACTED_SEND);
        var queue = queue();
        var arriving = arriving(queue);
        var sends = new Sends();
        var producer = connect().producer(queue, transacted(), sends);
        var array = new byte[1000];
        var random = new Random(4);
        var payload = new Payload(array);
        var bodies = new ArrayList<byte[]>();
        for (int i = 0; i < 10; i++) {
            random.nextBytes(array);
            payload.body(array, 1 + 100 * i);
            bodies.add(payload.copy());
            producer.send(payload, i);
        }
        producer.commit();
        assertBodies(arriving.await(10), bodies);
        assertThat(sends.confirmed()).isEqualTo(10);
    }

    private void assertBodies(Deliveries deliveries, List<byte[]> bodies) {
        var expected = bodies.stream().map(HexFormat.of()::formatHex).toList();
        var arrived = deliveries.all().stream().map(delivery -> HexFormat.of().formatHex(delivery.bytes())).toList();
        if (brokerKeepsOrder()) {
            assertThat(arrived).isEqualTo(expected);
        } else {
            assertThat(arrived).containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    @Test
    void sendsVariantsWithTheirHeaders() throws Exception {
        needs(Capability.VARIANTS);
        var queue = queue();
        declare(queue);
        var connection = connect();
        boolean selects = offers(Capability.HEADERS) && offers(Capability.SELECTORS);
        var matching = new Deliveries();
        var rest = new Deliveries();
        connection.consumer(queue, selects ? selecting(selector()) : auto(), matching);
        if (selects) {
            connection.consumer(queue, selecting("colour = 'blue' OR shape = 'square'"), rest);
        }
        var sends = new Sends();
        var producer = connection.producer(queue, varying(List.of(variant("one", 1, "red", "round"),
            variant("two", 4, "blue", "round"), variant("three", 9, "red", "square"))), sends);
        for (int i = 0; i < 60; i++) {
            var payload = payload(i % 3 + "/" + i);
            payload.variant(i % 3);
            producer.send(payload, i);
            producer.flush();
        }
        sends.awaitConfirmed(60);
        Await.until(() -> matching.count() + rest.count() >= 60,
            () -> matching.count() + " and " + rest.count() + " of 60 were delivered");
        var all = new ArrayList<>(matching.texts());
        all.addAll(rest.texts());
        assertThat(all).containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 60).mapToObj(i -> i % 3 + "/" + i).toList());
        if (selects) {
            assertThat(matching.texts()).hasSize(20).allMatch(text -> text.startsWith("0/"));
        }
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void sendsVariantsWithTheirGroups() throws Exception {
        needs(Capability.VARIANTS);
        needs(Capability.MESSAGE_GROUPS);
        if (!groupsStayTogether()) {
            abort("Groups of this protocol do not bind messages to a consumer.");
        }
        var queue = queue();
        declare(queue);
        var connection = connect();
        var one = new Deliveries();
        var two = new Deliveries();
        connection.consumer(queue, auto(), one);
        connection.consumer(queue, auto(), two);
        var sends = new Sends();
        var groups = IntStream.range(0, 8).mapToObj(i -> new MessageVariant("group-" + i, -1, Map.of())).toList();
        var producer = connection.producer(queue, varying(groups), sends);
        for (int i = 0; i < 160; i++) {
            var payload = payload("group-" + i % 8);
            payload.variant(i % 8);
            producer.send(payload, i);
            producer.flush();
        }
        sends.awaitConfirmed(160);
        Await.until(() -> one.count() + two.count() >= 160,
            () -> one.count() + " and " + two.count() + " of 160 were delivered");
        assertThat(new HashSet<>(one.texts())).doesNotContainAnyElementsOf(two.texts());
        if (sharesShortRuns()) {
            assertThat(one.count()).isPositive();
            assertThat(two.count()).isPositive();
        }
    }

    @Test
    void deliversABacklogByPriority() throws Exception {
        needs(Capability.PRIORITY, prioritising());
        var queue = queue();
        var connection = connect(prioritising());
        connection.declare(queue);
        var early = new Deliveries();
        if (!queuesKeepMessages()) {
            connection.consumer(queue, auto(), early);
        }
        var sends = new ArrayList<Sends>();
        for (int priority : new int[] {1, 9, 5}) {
            var each = new Sends();
            send(connection.producer(queue, varying(List.of(new MessageVariant(null, priority, Map.of()))), each),
                each, 0, 10, priority + "/");
            sends.add(each);
        }
        sends.forEach(each -> each.awaitConfirmed(10));
        if (queuesKeepMessages()) {
            connection.consumer(queue, auto(), early);
        }
        early.await(30);
        if (queuesKeepMessages() && ordersByPriority()) {
            var expected = new ArrayList<>(numbered("9/", 0, 10));
            expected.addAll(numbered("5/", 0, 10));
            expected.addAll(numbered("1/", 0, 10));
            assertThat(early.texts()).isEqualTo(expected);
        } else {
            assertThat(early.texts()).doesNotHaveDuplicates().hasSize(30);
        }
    }

    @Test
    void deliversNothingBeforeItsTime() throws Exception {
        needs(Capability.DELAYED_DELIVERY);
        var queue = queue();
        var connection = connect();
        connection.declare(queue);
        // Brokers keep times in milliseconds of the clock of the day.
        var arrivals = new ConcurrentLinkedQueue<Long>();
        var deliveries = new Deliveries(delivery -> {
            arrivals.add(System.currentTimeMillis() - Long.parseLong(delivery.text()));
            return Settlement.ACCEPT;
        });
        connection.consumer(queue, auto(), deliveries);
        var sends = new Sends();
        var producer = connection.producer(queue,
            new ProducerSettings(offers(Capability.PERSISTENCE), 0, delayMillis(), false, false, false, WINDOW, false,
                List.of(MessageVariant.PLAIN)), sends);
        for (int i = 0; i < 10; i++) {
            producer.send(payload("" + System.currentTimeMillis()), i);
            producer.flush();
            Thread.sleep(20);
        }
        sends.awaitConfirmed(10);
        Await.until(() -> arrivals.size() >= 10, () -> arrivals.size() + " of 10 messages were delivered");
        assertThat(arrivals).as("milliseconds after which messages arrived that were to be kept back for " + delayMillis())
            .allMatch(after -> after >= delayMillis());
        // One that comes in time is enough: whatever rounds the delay to more than it should makes all of them late.
        long latest = delayMillis() + delayStepMillis() + 300;
        int token = 10;
        long limit = System.nanoTime() + patience().multipliedBy(2).toNanos();
        while (arrivals.stream().noneMatch(after -> after < latest) && System.nanoTime() - limit < 0) {
            producer.send(payload("" + System.currentTimeMillis()), token++);
            producer.flush();
            Thread.sleep(100);
        }
        assertThat(arrivals).as("milliseconds after which messages arrived that were to be kept back for " + delayMillis()
            + ": none came within " + latest + ", so the delay is rounded to something coarser").anyMatch(after -> after < latest);
        sends.awaitConfirmed(token);
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void carriesTheEnvelopeBesideTheBody() throws Exception {
        needs(Capability.ENVELOPE_PROPERTY);
        var queue = queue();
        var arriving = arriving(queue);
        var connection = connect();
        var sends = new Sends();
        var producer = connection.producer(queue, new ProducerSettings(false, 0, 0, false, false, false, WINDOW, true,
            List.of(offers(Capability.HEADERS) ? new MessageVariant(null, -1, Map.of("colour", "red"))
                : MessageVariant.PLAIN)), sends);
        var random = new Random(5);
        var envelope = new byte[28];
        var sent = new ArrayList<String>();
        var payload = new Payload(new byte[100]);
        payload.envelope(envelope);
        for (int i = 0; i < 40; i++) {
            random.nextBytes(envelope);
            if (i < 3) {
                Arrays.fill(envelope, (byte) (i - 1));
            }
            random.nextBytes(payload.bytes());
            payload.body(payload.bytes(), i == 0 && hasEmptyBodies() ? 0 : 1 + 2 * i);
            sent.add(HexFormat.of().formatHex(envelope) + " " + HexFormat.of().formatHex(payload.copy()));
            producer.send(payload, i);
        }
        producer.flush();
        var deliveries = arriving.await(40);
        sends.awaitConfirmed(40);
        var arrived = deliveries.all().stream().map(delivery ->
            HexFormat.of().formatHex(delivery.envelope()) + " " + HexFormat.of().formatHex(delivery.bytes())).toList();
        if (brokerKeepsOrder()) {
            assertThat(arrived).isEqualTo(sent);
        } else {
            assertThat(arrived).containsExactlyInAnyOrderElementsOf(sent);
        }
    }

    @Test
    void deliversAnEmptyBody() throws Exception {
        if (!hasEmptyBodies()) {
            abort("This protocol has no messages with an empty body.");
        }
        var queue = queue();
        var arriving = arriving(queue);
        var connection = connect();
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        producer.send(new Payload(new byte[0]), 0);
        producer.send(payload("after"), 1);
        producer.flush();
        assertReceived(arriving.await(2), List.of("", "after"));
    }

    @Test
    void deliversAForeignMessageWithAnEmptyBody() throws Exception {
        var queue = queue();
        declare(queue);
        if (!sendForeign(queue)) {
            abort("Nobody else can send to this broker from here.");
        }
        var connection = connect();
        var deliveries = new Deliveries();
        var consumer = connection.consumer(queue, auto(), deliveries);
        var producer = connection.producer(queue, plain(), new Sends());
        producer.send(payload("own"), 0);
        producer.flush();
        deliveries.await(2);
        assertThat(deliveries.texts()).containsExactly("", "own");
        consumer.close();
        assertEmpty(queue);
    }

    @Test
    void carriesAMebibyte() throws Exception {
        var queue = queue();
        var arriving = arriving(queue);
        var connection = connect();
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        var body = new byte[1024 * 1024];
        new Random(2).nextBytes(body);
        for (int i = 0; i < 3; i++) {
            producer.send(new Payload(body), i);
        }
        producer.flush();
        var deliveries = arriving.await(3);
        sends.awaitConfirmed(3);
        deliveries.all().forEach(delivery -> assertThat(delivery.bytes()).isEqualTo(body));
    }

    @Test
    void servesAHundredProducers() throws Exception {
        var queue = queue();
        var connection = connect();
        var deliveries = new Deliveries();
        connection.consumer(queue, auto(), deliveries);
        var all = new ArrayList<Sends>();
        var producers = new ArrayList<Producer>();
        for (int i = 0; i < 100; i++) {
            all.add(new Sends());
            producers.add(connection.producer(queue, plain(), all.get(i)));
        }
        for (int token = 0; token < 5; token++) {
            for (int i = 0; i < 100; i++) {
                producers.get(i).send(payload(i + "/" + token), token);
                producers.get(i).flush();
            }
        }
        deliveries.await(500);
        all.forEach(sends -> sends.awaitConfirmed(5));
        producers.forEach(Producer::close);
        assertThat(deliveries.texts()).doesNotHaveDuplicates().hasSize(500);
        all.forEach(sends -> assertThat(sends.violations()).isEmpty());
    }

    @Test
    void reportsARefusedMessageAsFailed() throws Exception {
        needs(Capability.CONFIRMATIONS);
        var queue = refusing().orElseGet(() -> abort("This broker refuses no messages."));
        var connection = connect();
        connection.declare(queue);
        var sends = new Sends();
        var producer = connection.producer(queue, new ProducerSettings(offers(Capability.PERSISTENCE), 0, null, false, false, false, 10),
            sends);
        int sent = 0;
        boolean thrown = false;
        while (sent < 5000 && !thrown) {
            int next = sent;
            // One at a time: a broker may also take away its credit when it is full, and a client then blocks.
            Await.until(() -> sends.reported() >= next, () -> "no report of " + (next - 1));
            if (!sends.failures().isEmpty()) {
                break;
            }
            try {
                producer.send(new Payload(Arrays.copyOf(("m" + sent + " ").getBytes(StandardCharsets.UTF_8), 1024)), sent);
                sent++;
                producer.flush();
            } catch (Exception e) {
                thrown = true;
            }
        }
        // A broker may take away the credit as well, so that the last ones are not even sent; closing reports them.
        producer.close();
        sends.closed();
        assertThat(sends.reported()).isEqualTo(sent);
        var deliveries = new Deliveries();
        var consumer = connect().consumer(queue, auto(), deliveries);
        var confirmed = sends.confirmedTokens().stream().map(token -> "m" + token).toList();
        Await.holdsWithin(patience(), () -> deliveries.count() >= confirmed.size());
        consumer.close();
        var there = deliveries.texts().stream().map(text -> text.substring(0, text.indexOf(' '))).toList();
        assertThat(there).as("messages in a queue that refuses what is too much; a message that was refused must be reported as"
            + " failed and not as confirmed, and one that is confirmed must be there").containsAll(confirmed);
        assertThat(thrown || !sends.failures().isEmpty())
            .as("the queue refuses what is too much, so of " + sent + " sends one must have failed").isTrue();
        var failed = sends.failures().keySet().stream().map(token -> "m" + token).toList();
        assertThat(there).as("messages that were reported as failed must not be delivered").filteredOn(failed::contains).isEmpty();
        assertThat(sends.violations()).isEmpty();
    }

    // ---- what nobody knows

    /** How a client is kept from hearing what became of its sends. */
    enum Silence {
        /** The broker has the messages, and its confirmations do not arrive. */
        WITHHELD_CONFIRMATIONS,
        /** Nothing arrives any more, in no direction, and the connection stays open. */
        MUTE_BROKER,
        /** The broker has the messages, and the connection ends before its confirmations arrive. */
        CLOSED_CONNECTION
    }

    @ParameterizedTest
    @EnumSource(Silence.class)
    void callsTheFateOfASendUnknownThatNobodyKnows(Silence silence) throws Exception {
        needs(Capability.CONFIRMATIONS);
        if (silence == Silence.CLOSED_CONNECTION) {
            needsAnEndByACut();
        }
        var wire = wire();
        var queue = queue();
        declare(queue);
        var connection = connect(settings(wire.host(), wire.port()));
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        send(producer, sends, 0, 1, "before ");
        sends.awaitConfirmed(1);
        if (silence == Silence.MUTE_BROKER) {
            wire.swallow();
        } else {
            wire.swallowAnswers();
        }
        for (int token = 1; token < 6; token++) {
            producer.send(payload("pending " + token), token);
            producer.flush();
        }
        if (silence != Silence.MUTE_BROKER) {
            Await.until(() -> wire.carried("pending 5"), () -> "the sends were not written");
        }
        if (silence == Silence.CLOSED_CONNECTION) {
            wire.cut();
            sends.awaitReported(6);
        }
        producer.close();
        sends.closed();
        assertThat(sends.reported()).as("sends that are reported when close has returned").isEqualTo(6);
        assertThat(sends.failures()).as("sends that were written and never answered: their fate is unknown, they have not failed")
            .isEmpty();
        assertThat(sends.unknown().keySet()).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(sends.unknown().values()).allSatisfy(cause -> assertThat(cause.getMessage()).isNotBlank());
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void closesManyProducersWithPendingSendsWithinOneLimit() throws Exception {
        var wire = wire();
        var queue = queue();
        declare(queue);
        var connection = connect(settings(wire.host(), wire.port()));
        var all = new ArrayList<Sends>();
        var producers = new ArrayList<Producer>();
        for (int i = 0; i < 16; i++) {
            all.add(new Sends());
            producers.add(connection.producer(queue, plain(), all.get(i)));
            send(producers.get(i), all.get(i), 0, 1, "before ");
            all.get(i).awaitReported(1);
        }
        wire.swallow();
        for (int i = 0; i < producers.size(); i++) {
            producers.get(i).send(payload("pending"), 1);
            producers.get(i).flush();
        }
        long start = System.nanoTime();
        for (int i = 0; i < producers.size(); i++) {
            producers.get(i).close();
            all.get(i).closed();
        }
        connection.close();
        assertThat(Duration.ofNanos(System.nanoTime() - start))
            .as("time to close 16 producers with pending sends and their connection to a broker that stopped answering: one limit"
                + " for all of them, not one for each").isLessThan(patience());
        for (var sends : all) {
            assertThat(sends.reported()).isEqualTo(2);
            assertThat(sends.failures()).isEmpty();
            if (offers(Capability.CONFIRMATIONS)) {
                assertThat(sends.unknown().keySet()).containsExactly(1L);
            }
            assertThat(sends.violations()).isEmpty();
        }
    }

    @Test
    void doesNotCallATransactionFailedThatMayBeCommitted() throws Exception {
        needs(Capability.TRANSACTED_SEND);
        needsAnEndByACut();
        var wire = wire();
        var queue = queue();
        declare(queue);
        var arriving = new Deliveries();
        connect().consumer(queue, auto(), arriving);
        var sends = new Sends();
        var producer = connect(settings(wire.host(), wire.port())).producer(queue, transacted(), sends);
        for (int i = 0; i < 10; i++) {
            producer.send(payload("in transaction " + i), i);
        }
        producer.flush();
        Await.holdsWithin(Duration.ofSeconds(1), () -> wire.carried("in transaction 9"));
        wire.swallowAnswers();
        long before = wire.carried();
        var committed = new CompletableFuture<@Nullable Throwable>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                producer.commit();
                committed.complete(null);
            } catch (Throwable e) {
                committed.complete(e);
            }
        });
        Await.until(() -> wire.carried() > before, () -> "nothing was written for the commit");
        Await.holdsWithin(Duration.ofSeconds(1), () -> arriving.count() == 10);
        wire.cut();
        assertThat(committed.get(60, TimeUnit.SECONDS)).as("what the commit threw whose answer did not come").isNotNull();
        producer.close();
        sends.closed();
        assertThat(sends.reported()).isEqualTo(10);
        assertThat(sends.confirmed()).isZero();
        if (arriving.count() > 0) {
            assertThat(sends.failures()).as("sends of a transaction that was committed though its answer did not come: their fate"
                + " is unknown, they have not failed").isEmpty();
        }
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void saysWhyItStandsStillWithoutCredit() throws Exception {
        if (!tellsMissingCredit()) {
            abort("This client does not know its credit.");
        }
        var wire = wire();
        var queue = queue();
        declare(queue);
        var connection = connect(settings(wire.host(), wire.port()));
        var sends = new Sends();
        var producer = connection.producer(queue, unlimited(), sends);
        send(producer, sends, 0, 10, "m");
        sends.awaitConfirmed(10);
        assertThat(producer.stallReason()).isEmpty();
        wire.hold();
        var body = new Payload(new byte[1024]);
        int total = 3000;
        var sending = Thread.ofVirtual().start(() -> {
            try {
                for (int token = 10; token < total; token++) {
                    producer.send(body, token);
                    producer.flush();
                }
            } catch (Exception e) {
                sends.failed(total, e);
            }
        });
        Await.until(() -> !producer.stallReason().isEmpty(), () -> "no reason was given");
        assertThat(producer.stallReason()).contains("credit");
        wire.release();
        sending.join();
        sends.awaitConfirmed(total);
        assertThat(sends.failures()).isEmpty();
        assertThat(producer.stallReason()).isEmpty();
    }

    // ---- acknowledgements

    @ParameterizedTest
    @EnumSource(AckMode.class)
    void acknowledgesEverythingByTheEndOfTheConsumer(AckMode mode) throws Exception {
        needs(mode);
        var queue = queue();
        var connection = connect();
        var deliveries = new Deliveries();
        @Nullable Consumer early = queuesKeepMessages() ? null : connection.consumer(queue, consumer(mode, 10), deliveries);
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 25, "m");
        sends.awaitConfirmed(25);
        var consumer = early != null ? early : connection.consumer(queue, consumer(mode, 10), deliveries);
        deliveries.await(25);
        consumer.close();
        deliveries.closed();
        assertReceived(deliveries, numbered("m", 0, 25));
        assertThat(deliveries.failures()).isEmpty();
        assertAllAcknowledged(connection, queue);
        assertThat(deliveries.violations()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = AckMode.class, names = {"BATCH", "TRANSACTED"})
    void deliversAgainWhatWasNotAcknowledged(AckMode mode) throws Exception {
        needs(mode);
        needsAnEndByACut();
        var wire = wire();
        var queue = queue();
        declare(queue);
        var sends = new Sends();
        send(connect().producer(queue, plain(), sends), sends, 0, 25, "m");
        sends.awaitConfirmed(25);
        var deliveries = new Deliveries();
        connect(settings(wire.host(), wire.port())).consumer(queue, consumer(mode, 10), deliveries);
        deliveries.await(25);
        wire.cut();
        var again = new Deliveries();
        var second = connect();
        second.consumer(queue, auto(), again);
        Await.until(() -> again.texts().contains("m24"), () -> "m24 did not come again, but " + again.texts());
        if (mode == AckMode.TRANSACTED) {
            assertReceived(again, numbered("m", 20, 25));
        } else {
            // An acknowledgement does not wait for the broker and may have been on the wire.
            assertThat(again.texts()).endsWith("m20", "m21", "m22", "m23", "m24");
        }
        if (flagsRedeliveryAfterABrokenConnection()) {
            var last = again.all().subList(again.count() - 5, again.count());
            assertThat(last).allMatch(Deliveries.Delivery::redelivered);
        }
    }

    /** How messages come to a consumer that may give them back. */
    enum Way { PUSHED, PUSHED_INLINE, POLLED }

    @ParameterizedTest
    @EnumSource(Way.class)
    void deliversAgainWhatWasGivenBack(Way way) throws Exception {
        needs(Capability.REQUEUE);
        needs(way);
        var queue = queue();
        declare(queue);
        var sends = new Sends();
        send(connect().producer(queue, plain(), sends), sends, 0, 10, "m");
        sends.awaitConfirmed(10);
        var givenBack = ConcurrentHashMap.<String>newKeySet();
        var deliveries = new Deliveries(delivery ->
            (delivery.text().equals("m3") || delivery.text().equals("m7")) && givenBack.add(delivery.text())
                ? Settlement.REQUEUE : Settlement.ACCEPT);
        var connection = connect();
        var consumer = connection.consumer(queue, settling(way), deliveries);
        try (var polling = new Polling(consumer)) {
            deliveries.await(12);
            polling.check();
        }
        consumer.close();
        deliveries.closed();
        var expected = new ArrayList<>(numbered("m", 0, 10));
        expected.addAll(List.of("m3", "m7"));
        assertThat(deliveries.texts()).containsExactlyInAnyOrderElementsOf(expected);
        var seen = new HashSet<String>();
        for (var delivery : deliveries.all()) {
            boolean again = !seen.add(delivery.text());
            if (flagsWhatWasGivenBack() || !again) {
                assertThat(delivery.redelivered()).as(delivery.text()).isEqualTo(again);
            }
        }
        assertThat(deliveries.failures()).isEmpty();
        assertThat(deliveries.violations()).isEmpty();
        assertEmpty(queue);
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void deliversNeverAgainWhatWasRejected(Way way) throws Exception {
        needs(Capability.REJECT);
        needs(way);
        var queue = queue();
        declare(queue);
        var sends = new Sends();
        send(connect().producer(queue, plain(), sends), sends, 0, 10, "m");
        sends.awaitConfirmed(10);
        var deliveries = new Deliveries(delivery ->
            delivery.text().equals("m3") || delivery.text().equals("m9") ? Settlement.REJECT : Settlement.ACCEPT);
        var consumer = connect().consumer(queue, settling(way), deliveries);
        try (var polling = new Polling(consumer)) {
            deliveries.await(10);
            assertThat(Await.holdsWithin(Duration.ofMillis(300), () -> deliveries.count() > 10)).isFalse();
            polling.check();
        }
        consumer.close();
        deliveries.closed();
        assertReceived(deliveries, numbered("m", 0, 10));
        assertThat(deliveries.failures()).isEmpty();
        assertThat(deliveries.violations()).isEmpty();
        assertEmpty(queue);
    }

    @ParameterizedTest
    @EnumSource(AckMode.class)
    void fetchesMessagesWhenItIsPolled(AckMode mode) throws Exception {
        needs(Capability.POLLING);
        needs(mode);
        var queue = queue();
        declare(queue);
        var deliveries = new Deliveries();
        var connection = connect();
        var consumer = connection.consumer(queue,
            new ConsumerSettings(mode, 10, null, false, false, -1, false, null, false, true), deliveries);
        assertThat(consumer.needsPolling()).isTrue();
        consumer.poll(Duration.ofMillis(50));
        assertThat(deliveries.count()).isZero();
        var sends = new Sends();
        send(connect().producer(queue, plain(), sends), sends, 0, 25, "m");
        sends.awaitConfirmed(25);
        assertThat(Await.holdsWithin(Duration.ofMillis(300), () -> deliveries.count() > 0)).isFalse();
        try (var polling = new Polling(consumer)) {
            deliveries.await(25);
            polling.check();
        }
        consumer.close();
        deliveries.closed();
        assertReceived(deliveries, numbered("m", 0, 25));
        assertThat(deliveries.failures()).isEmpty();
        assertThat(deliveries.violations()).isEmpty();
        assertAllAcknowledged(connection, queue);
    }

    @Test
    void closesAConsumerThatIsBeingPolled() throws Exception {
        needs(Capability.POLLING);
        var queue = queue();
        declare(queue);
        var deliveries = new Deliveries();
        var connection = connect();
        var consumer = connection.consumer(queue,
            new ConsumerSettings(AckMode.AUTO, 1, null, false, false, -1, false, null, false, true), deliveries);
        var sends = new Sends();
        var producer = connect().producer(queue, plain(), sends);
        try (var polling = new Polling(consumer)) {
            send(producer, sends, 0, 50, "m");
            deliveries.await(20);
            consumer.close();
            deliveries.closed();
        }
        sends.awaitConfirmed(50);
        var rest = new Deliveries();
        connection.consumer(queue, auto(), rest);
        Await.until(() -> deliveries.count() + rest.count() >= 50,
            () -> deliveries.count() + " and " + rest.count() + " of 50 were delivered");
        assertThat(deliveries.violations()).isEmpty();
        assertThat(deliveries.count() + rest.count()).isEqualTo(50);
    }

    static Stream<Arguments> modesAndWays() {
        return Arrays.stream(AckMode.values()).flatMap(mode -> Arrays.stream(Way.values()).map(way -> Arguments.of(mode, way)));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("modesAndWays")
    void givesBackWhatItsConsumerLeaves(AckMode mode, Way way) throws Exception {
        needs(mode);
        needs(way);
        assumeTrue(keepsUntilAcknowledged(), "This broker gives a message up as it delivers it.");
        var queue = queue();
        declare(queue);
        var sends = new Sends();
        send(connect().producer(queue, plain(), sends), sends, 0, 40, "m");
        sends.awaitConfirmed(40);
        var taken = new ConcurrentLinkedQueue<String>();
        var deliveries = new Deliveries(delivery -> {
            if (taken.size() == 12) {
                return Settlement.LEAVE;
            }
            taken.add(delivery.text());
            return Settlement.ACCEPT;
        });
        var connection = connect();
        var consumer = connection.consumer(queue,
            new ConsumerSettings(mode, 5, null, false, false, -1, way == Way.PUSHED, null, false, way == Way.POLLED), deliveries);
        try (var polling = new Polling(consumer)) {
            deliveries.await(13);
            polling.check();
        }
        consumer.close();
        deliveries.closed();
        connection.close();
        assertThat(deliveries.failures()).isEmpty();
        assertThat(deliveries.violations()).isEmpty();
        assertThat(taken).hasSize(12).doesNotHaveDuplicates();
        var rest = new ArrayList<>(numbered("m", 0, 40));
        rest.removeAll(taken);
        var again = new Deliveries();
        connect().consumer(queue, auto(), again);
        Await.until(patience(), () -> again.count() >= 28, () -> "of 28 messages that were left " + again.count() + " came again: " + again.texts());
        assertThat(Await.holdsWithin(Duration.ofMillis(300), () -> again.count() > 28)).isFalse();
        assertThat(again.texts()).as("what comes again after 12 of 40 messages were accepted and the others left")
            .containsExactlyInAnyOrderElementsOf(rest);
    }

    @ParameterizedTest
    @EnumSource(value = AckMode.class, names = {"BATCH", "TRANSACTED"})
    void saysThatTheLastAcknowledgementFailed(AckMode mode) throws Exception {
        needs(mode);
        var wire = wire();
        var queue = queue();
        declare(queue);
        var deliveries = new Deliveries();
        var life = new Life();
        var consumer = connect(settings(wire.host(), wire.port()), life).consumer(queue, consumer(mode, 10), deliveries);
        var sends = new Sends();
        send(connect().producer(queue, plain(), sends), sends, 0, 15, "m");
        sends.awaitConfirmed(15);
        deliveries.await(15);
        wire.swallow();
        Exception thrown = null;
        try {
            consumer.close();
        } catch (Exception e) {
            thrown = e;
        }
        assertThat(thrown != null
            || Await.holdsWithin(patience(), () -> !deliveries.failures().isEmpty() || !life.losses().isEmpty()))
            .as("the broker never answered when the last messages were acknowledged and the consumer closed: close must throw, or the"
                + " listener hear that it failed, unless the loss of the connection was told").isTrue();
    }

    private void needs(Way way) {
        if (way == Way.POLLED) {
            needs(Capability.POLLING);
        }
    }

    private static ConsumerSettings settling(Way way) {
        return new ConsumerSettings(
            AckMode.AUTO, 1, null, false, false, -1, way == Way.PUSHED, null, true, way == Way.POLLED);
    }

    // ---- transactions of a producer

    @Test
    void forgetsWhatIsRolledBack() throws Exception {
        needs(Capability.ROLLBACK);
        var queue = queue();
        var connection = connect();
        var deliveries = new Deliveries();
        connection.consumer(queue, auto(), deliveries);
        var sends = new Sends();
        var producer = connection.producer(queue, transacted(), sends);
        for (int i = 0; i < 5; i++) {
            producer.send(payload("gone" + i), i);
        }
        producer.flush();
        producer.rollback();
        sends.forget(0, 5);
        producer.rollback();
        for (int i = 5; i < 10; i++) {
            producer.send(payload("kept" + i), i);
        }
        producer.commit();
        assertThat(sends.confirmed()).isEqualTo(5);
        deliveries.await(5);
        for (int i = 10; i < 13; i++) {
            producer.send(payload("gone" + i), i);
        }
        producer.rollback();
        sends.forget(10, 13);
        producer.send(payload("kept13"), 13);
        producer.close();
        sends.closed();
        deliveries.await(6);
        assertThat(Await.holdsWithin(Duration.ofMillis(300), () -> deliveries.count() > 6)).isFalse();
        assertReceived(deliveries, List.of("kept5", "kept6", "kept7", "kept8", "kept9", "kept13"));
        assertThat(sends.confirmed()).isEqualTo(6);
        assertThat(sends.failures()).isEmpty();
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void confirmsATransactionWhenItIsCommitted() throws Exception {
        needs(Capability.TRANSACTED_SEND);
        var queue = queue();
        var connection = connect();
        var deliveries = new Deliveries();
        connection.consumer(queue, auto(), deliveries);
        var sends = new Sends();
        var producer = connection.producer(queue, transacted(), sends);
        for (int i = 0; i < 10; i++) {
            producer.send(payload("t" + i), i);
        }
        producer.flush();
        assertThat(Await.holdsWithin(Duration.ofMillis(300), () -> deliveries.count() + sends.reported() > 0)).isFalse();
        producer.commit();
        assertThat(sends.confirmed()).isEqualTo(10);
        deliveries.await(10);
        producer.send(payload("t10"), 10);
        producer.commit();
        deliveries.await(11);
        assertThat(sends.confirmed()).isEqualTo(11);
        assertThat(sends.violations()).isEmpty();
        assertReceived(deliveries, numbered("t", 0, 11));
    }

    @Test
    void commitsTheTailOfATransactionAtClose() throws Exception {
        needs(Capability.TRANSACTED_SEND);
        var queue = queue();
        var connection = connect();
        var sends = new Sends();
        var producer = connection.producer(queue, transacted(), sends);
        for (int i = 0; i < 3; i++) {
            producer.send(payload("t" + i), i);
        }
        producer.close();
        sends.closed();
        assertThat(sends.confirmed()).isEqualTo(3);
        assertThat(receive(queue, 3)).isEqualTo(numbered("t", 0, 3));
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void confirmsNothingOfATransactionThatCannotBeCommitted() throws Exception {
        needs(Capability.TRANSACTED_SEND);
        needsAnEndByACut();
        var wire = wire();
        var queue = queue();
        declare(queue);
        var life = new Life();
        var connection = connect(settings(wire.host(), wire.port()), life);
        var sends = new Sends();
        var producer = connection.producer(queue, transacted(), sends);
        for (int i = 0; i < 10; i++) {
            producer.send(payload("t" + i), i);
        }
        producer.flush();
        wire.cut();
        assertThatThrownBy(producer::commit).isInstanceOf(Exception.class);
        assertThat(sends.reported()).isEqualTo(10);
        assertThat(sends.confirmed()).isZero();
        producer.close();
        sends.closed();
        assertThat(sends.violations()).isEmpty();
        var deliveries = new Deliveries();
        connect().consumer(queue, auto(), deliveries);
        assertThat(Await.holdsWithin(Duration.ofMillis(300), () -> deliveries.count() > 0)).isFalse();
    }

    // ---- subscriptions

    @Test
    void sharesAQueueAmongItsConsumers() throws Exception {
        var queue = queue();
        var connection = connect(spreading());
        var one = new Deliveries();
        var two = new Deliveries();
        connection.consumer(queue, auto(), one);
        connection.consumer(queue, auto(), two);
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 200, "m");
        Await.until(() -> one.count() + two.count() >= 200,
            () -> one.count() + " and " + two.count() + " of 200 were delivered");
        if (sharesShortRuns()) {
            assertThat(one.count()).isPositive();
            assertThat(two.count()).isPositive();
        }
        var all = new HashSet<>(one.texts());
        all.addAll(two.texts());
        assertThat(all).hasSize(200);
    }

    @Test
    void copiesATopicToEachSubscriber() throws Exception {
        needs(Capability.TOPICS);
        var topic = topic();
        var connection = connect();
        connection.declare(topic);
        var one = new Deliveries();
        var two = new Deliveries();
        connection.consumer(topic, auto(), one);
        connection.consumer(topic, auto(), two);
        var sends = new Sends();
        send(connection.producer(topic, plain(), sends), sends, 0, 50, "m");
        one.await(50);
        two.await(50);
        assertReceived(one, numbered("m", 0, 50));
        assertReceived(two, numbered("m", 0, 50));
    }

    @Test
    void keepsADurableSubscriptionUntilItIsRemoved() throws Exception {
        needs(Capability.TOPICS);
        var settings = settings().withClientId("contract-" + UUID.randomUUID());
        needs(Capability.DURABLE_SUBSCRIPTIONS, settings);
        var topic = topic();
        var durable = new ConsumerSettings(AckMode.AUTO, 1, "kept", true, false, -1, false);
        try (var first = connect(settings)) {
            first.declare(topic);
            first.consumer(topic, durable, new Deliveries()).close();
        }
        var sends = new Sends();
        send(connect().producer(topic, plain(), sends), sends, 0, 10, "m");
        sends.awaitConfirmed(10);
        var second = connect(settings);
        var deliveries = new Deliveries();
        var consumer = second.consumer(topic, durable, deliveries);
        deliveries.await(10);
        assertReceived(deliveries, numbered("m", 0, 10));
        consumer.close();
        second.unsubscribe(topic, "kept");
        send(connect().producer(topic, plain(), sends), sends, 10, 20, "m");
        sends.awaitConfirmed(20);
        var fresh = new Deliveries();
        var again = second.consumer(topic, durable, fresh);
        var marker = connect().producer(topic, plain(), new Sends());
        marker.send(payload("marker"), 0);
        marker.flush();
        fresh.await(1);
        assertThat(fresh.texts()).containsExactly("marker");
        again.close();
        second.unsubscribe(topic, "kept");
    }

    @Test
    void sharesASubscriptionAmongItsConsumers() throws Exception {
        needs(Capability.TOPICS);
        needs(Capability.SHARED_SUBSCRIPTIONS);
        sharesSubscription(new ConsumerSettings(AckMode.AUTO, 1, "shared", false, true, -1, false));
    }

    @Test
    void sharesADurableSubscriptionAmongItsConsumers() throws Exception {
        needs(Capability.TOPICS);
        needs(Capability.SHARED_SUBSCRIPTIONS);
        needs(Capability.DURABLE_SUBSCRIPTIONS);
        var topic = sharesSubscription(new ConsumerSettings(AckMode.AUTO, 1, "both", true, true, -1, false));
        connect().unsubscribe(topic, "both");
    }

    private Destination sharesSubscription(ConsumerSettings shared) throws Exception {
        var topic = topic();
        connect().declare(topic);
        var one = new Deliveries();
        var two = new Deliveries();
        var alone = new Deliveries();
        var consumers = List.of(connect().consumer(topic, shared, one), connect().consumer(topic, shared, two));
        connect().consumer(topic, auto(), alone);
        var sends = new Sends();
        send(connect(spreading()).producer(topic, plain(), sends), sends, 0, 200, "m");
        Await.until(() -> one.count() + two.count() >= 200,
            () -> one.count() + " and " + two.count() + " of 200 were delivered");
        alone.await(200);
        if (sharesShortRuns()) {
            assertThat(one.count()).isPositive();
            assertThat(two.count()).isPositive();
        }
        var all = new HashSet<>(one.texts());
        all.addAll(two.texts());
        assertThat(all).hasSize(200);
        for (Consumer consumer : consumers) {
            consumer.close();
        }
        return topic;
    }

    @Test
    void deliversOnlyWhatTheSelectorMatches() throws Exception {
        needs(Capability.HEADERS);
        needs(Capability.SELECTORS);
        var queue = queue();
        var connection = connect();
        connection.declare(queue);
        var matching = new Deliveries();
        connection.consumer(queue, selecting(selector()), matching);
        var sends = new Sends();
        var other = new Sends();
        var red = connection.producer(queue, marked("red"), sends);
        var blue = connection.producer(queue, marked("blue"), other);
        for (int i = 0; i < 20; i++) {
            blue.send(payload("b" + i), i);
            blue.flush();
            red.send(payload("r" + i), i);
            red.flush();
        }
        sends.awaitConfirmed(20);
        other.awaitConfirmed(20);
        matching.await(20);
        assertReceived(matching, numbered("r", 0, 20));
        var rest = new Deliveries();
        connection.consumer(queue, selecting("colour <> 'red'"), rest);
        rest.await(20);
        assertReceived(rest, numbered("b", 0, 20));
        assertThat(matching.count()).isEqualTo(20);
    }

    private static ConsumerSettings selecting(String selector) {
        return new ConsumerSettings(AckMode.AUTO, 1, null, false, false, -1, true, selector);
    }

    private static ProducerSettings marked(String colour) {
        return new ProducerSettings(false, 0, null, false, false, false, WINDOW, Map.of("colour", colour, "shape", "round"));
    }

    // ---- declare, delete, depth

    @Test
    void tellsWhetherItCreatedADestination() throws Exception {
        var queue = queue();
        var connection = connect();
        var created = connection.declare(queue);
        assertThat(connection.declare(queue)).isFalse();
        if (created) {
            connection.delete(queue);
            assertThat(connection.declare(queue)).isTrue();
        }
        connection.delete(queue);
    }

    @Test
    void deletesADestinationWithAllItHolds() throws Exception {
        assumeTrue(deletes(), "This protocol cannot delete.");
        assumeTrue(queuesKeepMessages(), "This broker keeps nothing that could be deleted.");
        var queue = queue();
        var connection = connect();
        connection.declare(queue);
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        send(producer, sends, 0, 7, "m");
        sends.awaitConfirmed(7);
        producer.close();
        connection.delete(queue);
        connection.declare(queue);
        if (offers(Capability.DEPTH)) {
            assertThat(connection.depth(queue)).as("depth of a queue that was deleted and declared again").hasValue(0);
        }
        assertEmpty(queue);
    }

    /** What a connection is asked for. */
    enum Request { DECLARE, DELETE, DEPTH, PRODUCER, CONSUMER }

    @Test
    void givesUpWhatTheBrokerDoesNotAnswer() throws Exception {
        var wire = wire();
        var queue = queue();
        declare(queue);
        var near = settings(wire.host(), wire.port());
        var limit = Duration.ofSeconds(4);
        var requests = EnumSet.allOf(Request.class);
        if (!offers(Capability.DEPTH)) {
            requests.remove(Request.DEPTH);
        }
        var asking = new EnumMap<Request, Thread>(Request.class);
        for (var request : requests) {
            var connection = connect(new ConnectionSettings(near.url(), near.user(), near.password(), near.clientId(), limit,
                near.properties()));
            asking.put(request, Thread.ofPlatform().daemon().name("contract-asking").unstarted(() -> ask(request, connection, queue)));
        }
        wire.hold();
        asking.values().forEach(Thread::start);
        long end = System.nanoTime() + patience().toNanos();
        for (var thread : asking.values()) {
            thread.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
        }
        var endless = asking.entrySet().stream().filter(each -> each.getValue().isAlive()).map(Map.Entry::getKey).toList();
        wire.release();
        assertThat(endless).as("requests that had not ended " + patience().toSeconds() + " s after the broker stopped answering; each"
            + " needs a time limit, and the connect timeout is " + limit.toSeconds() + " s").isEmpty();
    }

    private static void ask(Request request, Connection connection, Destination queue) {
        try {
            switch (request) {
                case DECLARE -> connection.declare(queue);
                case DELETE -> connection.delete(queue);
                case DEPTH -> connection.depth(queue);
                case PRODUCER -> connection.producer(queue, plain(), new Sends());
                case CONSUMER -> connection.consumer(queue, auto(), new Deliveries());
            }
        } catch (Exception e) {
            // the right end, where an answer is needed
        }
    }

    @Test
    void countsWaitingMessages() throws Exception {
        needs(Capability.DEPTH);
        var queue = queue();
        var connection = connect();
        connection.declare(queue);
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 7, "m");
        sends.awaitConfirmed(7);
        assertThat(connection.depth(queue)).hasValue(7);
        receive(queue, 7);
        Await.until(() -> depth(connection, queue) == 0, () -> "the depth is " + depth(connection, queue));
    }

    // ---- ends

    @Test
    void closeReturnsAfterEveryCallback() throws Exception {
        var queue = queue();
        var connection = connect();
        connection.declare(queue);
        var deliveries = new Deliveries();
        var consumer = connection.consumer(queue, auto(), deliveries);
        var sends = new Sends();
        var producer = connection.producer(queue, unlimited(), sends);
        for (int i = 0; i < 1000; i++) {
            producer.send(payload("m" + i), i);
        }
        producer.close();
        sends.closed();
        consumer.close();
        deliveries.closed();
        assertThat(sends.reported()).isEqualTo(1000);
        if (queuesKeepMessages()) {
            var other = new Deliveries();
            var rest = connect().consumer(queue, auto(), other);
            Await.until(() -> deliveries.count() + other.count() >= sends.confirmed(),
                () -> deliveries.count() + " and " + other.count() + " of " + sends.confirmed() + " were delivered");
            rest.close();
        }
        assertThat(sends.violations()).isEmpty();
        assertThat(deliveries.violations()).isEmpty();
    }

    @Test
    void closesInBoundedTimeWhenTheBrokerStoppedAnswering() throws Exception {
        var wire = wire();
        var queue = queue();
        declare(queue);
        var connection = connect(settings(wire.host(), wire.port()));
        var sends = new Sends();
        var producers = new ArrayList<Producer>();
        for (int i = 0; i < 5; i++) {
            producers.add(connection.producer(queue, plain(), new Sends()));
        }
        var producer = connection.producer(queue, plain(), sends);
        connection.consumer(queue, consumer(AckMode.AUTO, 1), new Deliveries());
        wire.hold();
        producer.send(payload("lost"), 0);
        producer.flush();
        long start = System.nanoTime();
        producer.close();
        sends.closed();
        producers.forEach(Producer::close);
        connection.close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(patience());
        if (offers(Capability.CONFIRMATIONS)) {
            assertThat(sends.unknown()).hasSize(1);
        }
        wire.release();
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void namesTheClientThatCarriesIt() throws Exception {
        assumeTrue(address().isPresent(), "A broker in memory has no client.");
        var queue = queue();
        var connection = connect();
        connection.declare(queue);
        connection.producer(queue, plain(), new Sends());
        connection.consumer(queue, auto(), new Deliveries());
        var client = connection.client().isEmpty() ? driver().client() : connection.client();
        assertThat(client).as("name and version of the client of this connection").matches(".*\\w.* .*\\d+\\.\\d+.*")
            .doesNotContain("the rest", "plain runs");
    }

    @Test
    void aRegularCloseIsNoLoss() throws Exception {
        var queue = queue();
        declare(queue);
        var life = new Life();
        for (boolean inOrder : new boolean[] {true, false}) {
            var connection = connect(settings(), life);
            var deliveries = new Deliveries();
            var consumer = connection.consumer(queue, auto(), deliveries);
            var sends = new Sends();
            var producer = connection.producer(queue, plain(), sends);
            send(producer, sends, 0, 10, "m");
            deliveries.await(10);
            sends.awaitConfirmed(10);
            if (inOrder) {
                producer.close();
                consumer.close();
            }
            connection.close();
            assertThat(deliveries.failures()).as("failures of a consumer that was closed").isEmpty();
        }
        assertThat(Await.holdsWithin(Duration.ofMillis(300), () -> !life.losses().isEmpty()))
            .as("whether the end of a connection that we closed was told as its loss: " + life.losses()).isFalse();
        assertThat(life.interruptions()).isZero();
    }

    @Test
    void leavesNoThreadAndNoConnectionBehind() throws Exception {
        var wire = address().isPresent() ? wire() : null;
        var before = threads();
        var queue = queue();
        var connection = connect(wire == null ? settings() : settings(wire.host(), wire.port()));
        connection.declare(queue);
        var deliveries = new Deliveries();
        connection.consumer(queue, auto(), deliveries);
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 100, "m");
        deliveries.await(100);
        connection.close();
        if (wire != null) {
            Await.until(() -> wire.connections() == 0, () -> wire.connections() + " connections are open");
        }
        Await.until(() -> clientThreads(before).isEmpty(), () -> "threads are left: " + clientThreads(before));
    }

    // ---- what goes wrong

    @Test
    void refusesAnUnknownSettingBeforeItConnects() {
        var settings = unknownSetting().orElseGet(() -> abort("This driver has no settings."));
        assertThatThrownBy(() -> driver().check(settings))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("noSuchSetting");
        driver().check(settings());
    }

    @Test
    void carriesAClientIdOrRefusesIt() throws Exception {
        var wire = wire();
        carriesOrRefuses(settings(wire.host(), wire.port()).withClientId("contract-client-7"), "contract-client-7", "client id", wire);
    }

    @Test
    void carriesALoginOrRefusesIt() throws Exception {
        var wire = wire();
        var near = settings(wire.host(), wire.port());
        carriesOrRefuses(new ConnectionSettings(near.url(), "contract-user-7", Secret.of("contract-password"), null,
            near.connectTimeout(), near.properties()), "contract-user-7", "user", wire);
    }

    /** What a protocol cannot carry must not be left out in silence. */
    private void carriesOrRefuses(ConnectionSettings settings, String text, String what, Wire wire) throws Exception {
        try {
            driver().check(settings);
        } catch (IllegalArgumentException e) {
            assertThat(e).as("the sentence by which check refuses a " + what + " that the protocol cannot carry")
                .hasMessageContaining(what);
            return;
        }
        var queue = queue();
        declare(queue);
        try {
            var connection = connect(settings);
            connection.producer(queue, plain(), new Sends());
            connection.consumer(queue, auto(), new Deliveries());
        } catch (Exception e) {
            // the broker does not know this user, or does not like this client id
        }
        assertThat(Await.holdsWithin(patience(), () -> wire.carried(text)))
            .as("check accepts the " + what + " " + text + ", so it must reach the broker; what a protocol cannot carry is refused")
            .isTrue();
    }

    @Test
    void showsNoPasswordOfTheUrl() {
        var settings = settings();
        assertThat(driver().effectiveUrl(settings)).isNotBlank();
        var password = settings.password();
        if (password != null) {
            assertThat(driver().effectiveUrl(settings)).doesNotContain(password.reveal());
        }
    }

    @Test
    void saysThatThePasswordIsWrong() {
        var settings = wrongPassword().orElseGet(() -> abort("The broker lets everybody in."));
        assertThatThrownBy(() -> connect(settings)).isInstanceOf(Exception.class)
            .message().containsIgnoringCase("password").doesNotContain(settings.password() == null
                ? "\0" : settings.password().reveal());
    }

    @Test
    void saysThatTlsWasRefused() {
        var settings = refusedTls().orElseGet(() -> abort("This driver has no TLS."));
        assertEndsSoon(settings, "TLS");
    }

    @Test
    void saysThatNobodyListens() throws Exception {
        int port;
        try (var socket = new java.net.ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        var settings = elsewhere("127.0.0.1", port).orElseGet(() -> abort("This broker has no address."));
        assertEndsSoon(settings, "nobody listens");
    }

    @Test
    void saysThatTheHostIsUnknown() {
        var settings = elsewhere("no-such-host.invalid", 61616)
            .orElseGet(() -> abort("This broker has no address."));
        assertEndsSoon(settings, "unknown host");
    }

    @Test
    void givesUpAPeerThatNeverAnswers() throws Exception {
        try (var silent = new java.net.ServerSocket(0)) {
            var settings = elsewhere("127.0.0.1", silent.getLocalPort())
                .orElseGet(() -> abort("This broker has no address."));
            var hasty = new ConnectionSettings(settings.url(), settings.user(), settings.password(),
                settings.clientId(), Duration.ofSeconds(2), settings.properties());
            assertEndsSoon(hasty, "did not answer");
        }
    }

    private void assertEndsSoon(ConnectionSettings settings, String word) {
        long start = System.nanoTime();
        assertThatThrownBy(() -> connect(settings)).isInstanceOf(Exception.class)
            .message().containsIgnoringCase(word);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(patience());
    }

    @Test
    void saysThatTheBrokerForbidsAnAddress() throws Exception {
        var destination = forbidden().orElseGet(() -> abort("This broker forbids nothing."));
        var connection = connect();
        assertThatThrownBy(() -> {
            connection.declare(destination);
            connection.producer(destination, plain(), new Sends());
        }).isInstanceOf(Exception.class).message().isNotBlank();
        assertThatThrownBy(() -> {
            connection.declare(destination);
            connection.consumer(destination, auto(), new Deliveries());
        }).isInstanceOf(Exception.class).message().isNotBlank();
    }

    @Test
    void hearsWithinSecondsThatTheBrokerDiedWhileSending() throws Exception {
        try (var victim = victim().orElseGet(() -> abort("This broker cannot be killed."))) {
            var life = new Life();
            var connection = connect(victim.settings(), life);
            var queue = new Destination(Destination.Kind.QUEUE, "dies");
            var sends = new Sends();
            var producer = connection.producer(queue, plain(), sends);
            send(producer, sends, 0, 50, "m");
            victim.kill();
            long token = 50;
            long killed = System.nanoTime();
            Exception refusal = null;
            while (refusal == null && System.nanoTime() - killed < patience().toNanos()) {
                if (token - sends.reported() >= WINDOW) {
                    Thread.sleep(1);
                    continue;
                }
                try {
                    producer.send(payload("m" + token), token);
                    // From here on its fate is told, also when flushing finds that the connection is broken.
                    token++;
                    producer.flush();
                } catch (Exception e) {
                    refusal = e;
                }
            }
            assertThat(refusal).as("the refusal of a send to a broker that has died").isNotNull();
            Await.until(patience(), () -> !life.losses().isEmpty(), () -> "the loss went unheard");
            sends.awaitReported((int) token);
            producer.close();
            connection.close();
            assertThat(sends.violations()).isEmpty();
            assertThat(sends.reported()).isEqualTo(token);
            assertThat(life.losses()).hasSize(1).allMatch(cause -> cause.getMessage() != null);
        }
    }

    @Test
    void hearsWithinSecondsThatTheBrokerDiedWhileReceiving() throws Exception {
        try (var victim = victim().orElseGet(() -> abort("This broker cannot be killed."))) {
            var life = new Life();
            var connection = connect(victim.settings(), life);
            var queue = new Destination(Destination.Kind.QUEUE, "dies");
            var deliveries = new Deliveries();
            var consumer = connection.consumer(queue, auto(), deliveries);
            var sends = new Sends();
            var sending = connect(victim.settings());
            send(sending.producer(queue, plain(), sends), sends, 0, 10, "m");
            deliveries.await(10);
            sends.awaitConfirmed(10);
            // What only receives must hear it by itself: nobody sends on this connection.
            sending.close();
            victim.kill();
            Await.until(patience(), () -> !life.losses().isEmpty(),
                () -> "the broker died, and a connection that only receives has not heard of it");
            consumer.close();
            connection.close();
            assertThat(life.losses()).hasSize(1);
            assertThatThrownBy(() -> connection.declare(queue())).isInstanceOf(Exception.class);
        }
    }

    @Test
    void reconnectsByItselfWhenTheUrlAsksForIt() throws Exception {
        needs(Capability.RECONNECT);
        var wire = wire();
        var settings = reconnecting(wire.host(), wire.port())
            .orElseGet(() -> abort("This client does not reconnect."));
        var queue = queue();
        declare(queue);
        var life = new Life();
        var connection = connect(settings, life);
        var deliveries = new Deliveries();
        connection.consumer(queue, auto(), deliveries);
        var sends = new Sends();
        var producer = connection.producer(queue, plain(), sends);
        send(producer, sends, 0, 10, "before ");
        deliveries.await(10);
        sends.awaitConfirmed(10);
        wire.cut();
        Await.until(() -> life.interruptions() > 0 && life.resumptions() > 0,
            () -> life.interruptions() + " interruptions, " + life.resumptions() + " resumptions");
        send(producer, sends, 10, 20, "after ");
        sends.awaitConfirmed(20);
        Await.until(() -> deliveries.texts().containsAll(numbered("after ", 10, 20)),
            () -> "only these arrived: " + deliveries.texts());
        assertThat(life.losses()).isEmpty();
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void reportsEveryTokenWhenTheBrokerCameBack() throws Exception {
        needs(Capability.RECONNECT);
        needs(Capability.PERSISTENCE);
        try (var victim = victim().orElseGet(() -> abort("This broker cannot be killed."))) {
            var life = new Life();
            var connection = connect(victim.reconnecting(), life);
            var queue = new Destination(Destination.Kind.QUEUE, "comes.back");
            connection.declare(queue);
            var sends = new Sends();
            var producer = connection.producer(queue,
                new ProducerSettings(true, 0, null, false, false, false, WINDOW), sends);
            send(producer, sends, 0, 50, "m");
            victim.kill();
            var sending = Thread.ofVirtual().start(() -> {
                for (int token = 50; token < 150; token++) {
                    int next = token;
                    Await.until(() -> next - sends.reported() < WINDOW, () -> "no report of " + (next - WINDOW));
                    try {
                        producer.send(payload("m" + token), token);
                        producer.flush();
                    } catch (Exception e) {
                        sends.failed(token, e);
                    }
                }
            });
            if (!victim.startAgain()) {
                abort("This broker cannot be started again.");
            }
            Await.until(() -> life.resumptions() > 0, () -> "the connection is not back");
            sending.join();
            sends.awaitReported(150);
            assertThat(sends.violations()).isEmpty();
            assertThat(life.losses()).isEmpty();
            var deliveries = new Deliveries();
            connect(victim.settings()).consumer(queue, auto(), deliveries);
            Await.until(() -> new HashSet<>(deliveries.texts()).size() >= sends.confirmed(),
                () -> new HashSet<>(deliveries.texts()).size() + " of " + sends.confirmed() + " confirmed are there");
        }
    }

    // ---- helpers for the tests above and those of a driver

    @AfterEach
    void closeEverything() throws Exception {
        try {
            if (!used.isEmpty()) {
                var cleaner = driver().connect(settings(), new Life());
                for (var connection : opened.reversed()) {
                    connection.close();
                }
                for (var destination : used) {
                    delete(cleaner, destination);
                }
                cleaner.close();
            }
        } finally {
            for (var resource : opened.reversed()) {
                resource.close();
            }
        }
    }

    /** A broker may take a while until it gives up a consumer whose connection broke, and not delete its queue before. */
    private void delete(Connection cleaner, Destination destination) throws Exception {
        var last = new AtomicReference<@Nullable Exception>();
        Await.holdsWithin(patience(), () -> {
            try {
                cleaner.delete(destination);
                last.set(null);
                return true;
            } catch (Exception e) {
                last.set(e);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
                return false;
            }
        });
        var failure = last.get();
        if (failure != null) {
            throw failure;
        }
    }

    protected final Connection connect() throws Exception {
        return connect(settings());
    }

    protected final Connection connect(ConnectionSettings settings) throws Exception {
        return connect(settings, new Life());
    }

    protected final Connection connect(ConnectionSettings settings, Life life) throws Exception {
        var connection = driver().connect(settings, life);
        opened.add(connection);
        return connection;
    }

    protected final Wire wire() throws Exception {
        var address = address().orElseGet(() -> abort("This broker has no network."));
        var wire = new Wire(address, wirePort());
        opened.addFirst(wire);
        return wire;
    }

    /** A queue of its own for one test, deleted after it. */
    protected final Destination queue() {
        return fresh(Destination.Kind.QUEUE);
    }

    /** A topic of its own for one test, deleted after it. */
    protected final Destination topic() {
        return fresh(Destination.Kind.TOPIC);
    }

    private Destination fresh(Destination.Kind kind) {
        var destination = new Destination(kind, "contract." + UUID.randomUUID());
        used.add(destination);
        return destination;
    }

    private void declare(Destination destination) throws Exception {
        connect().declare(destination);
    }

    protected static Payload payload(String text) {
        return new Payload(text.getBytes(StandardCharsets.UTF_8));
    }

    protected static ProducerSettings plain() {
        return new ProducerSettings(false, 0, null, false, false, false, WINDOW);
    }

    private static ProducerSettings unlimited() {
        return new ProducerSettings(false, 0, null, false, false, false, 0);
    }

    private static ProducerSettings transacted() {
        return new ProducerSettings(false, 0, null, false, false, true, WINDOW);
    }

    private static ProducerSettings varying(List<MessageVariant> variants) {
        return new ProducerSettings(false, 0, 0, false, false, false, WINDOW, false, variants);
    }

    /** What the driver can send of a variant with everything. */
    private MessageVariant variant(String group, int priority, String colour, String shape) {
        return new MessageVariant(offers(Capability.MESSAGE_GROUPS) ? group : null,
            offers(Capability.PRIORITY) ? priority : -1,
            offers(Capability.HEADERS) ? Map.of("colour", colour, "shape", shape) : Map.of());
    }

    protected static ConsumerSettings auto() {
        return consumer(AckMode.AUTO, 1);
    }

    protected static ConsumerSettings consumer(AckMode mode, int batch) {
        return new ConsumerSettings(mode, batch, null, false, false, -1, true);
    }

    /** Sends {@code prefix + token} for each token of the range, never more unreported than the window. */
    protected static void send(Producer producer, Sends sends, int from, int to, String prefix) throws Exception {
        for (int token = from; token < to; token++) {
            int next = token;
            if (next - sends.reported() >= WINDOW) {
                producer.flush();
                Await.until(() -> next - sends.reported() < WINDOW, () -> "no confirmation of " + (next - WINDOW));
            }
            producer.send(payload(prefix + token), token);
        }
        producer.flush();
    }

    /** What a new consumer receives from the queue: so many messages. */
    protected final List<String> receive(Destination queue, int count) throws Exception {
        var deliveries = new Deliveries();
        try (var connection = driver().connect(settings(), new Life())) {
            connection.consumer(queue, auto(), deliveries);
            deliveries.await(count);
        }
        return deliveries.texts();
    }

    /** What comes from a queue to a consumer of its own, from now on or with what the queue has kept. */
    protected final Arriving arriving(Destination queue) throws Exception {
        return new Arriving(queue);
    }

    /** The messages of a queue; received at once where the queue would not keep them, and when they are awaited otherwise. */
    protected final class Arriving {

        private final Destination queue;
        private final Deliveries deliveries = new Deliveries();
        private @Nullable Connection early;

        private Arriving(Destination queue) throws Exception {
            this.queue = queue;
            if (!queuesKeepMessages()) {
                early = connect();
                early.consumer(queue, auto(), deliveries);
            }
        }

        /** Waits for so many messages, and ends the consumer. */
        public Deliveries await(int count) throws Exception {
            var opened = early;
            try (var connection = opened != null ? opened : driver().connect(settings(), new Life())) {
                if (opened == null) {
                    connection.consumer(queue, auto(), deliveries);
                }
                deliveries.await(count);
            }
            return deliveries;
        }
    }

    private void assertEmpty(Destination queue) throws Exception {
        var arriving = arriving(queue);
        var sends = new Sends();
        var producer = connect().producer(queue, plain(), sends);
        producer.send(payload("nothing before this"), 0);
        producer.flush();
        sends.awaitReported(1);
        assertThat(arriving.await(1).texts()).as("what comes first from a queue in which nothing else must be left")
            .containsExactly("nothing before this");
    }

    /** Nothing is left of what a consumer took, neither for others nor for the broker's count; ends the consumer's connection. */
    private void assertAllAcknowledged(Connection connection, Destination queue) throws Exception {
        // A broker may give a message that nobody acknowledged to others only when its connection ends.
        connection.close();
        if (offers(Capability.DEPTH) && queuesKeepMessages()) {
            var other = connect();
            Await.until(patience(), () -> depth(other, queue) == 0, () -> "the consumer is closed, and of 25 messages that it received "
                + depth(other, queue) + " are not acknowledged");
        }
        assertEmpty(queue);
    }

    private void assertReceived(Deliveries deliveries, List<String> expected) {
        if (brokerKeepsOrder()) {
            assertThat(deliveries.texts()).isEqualTo(expected);
        } else {
            assertThat(deliveries.texts()).containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    private static List<String> numbered(String prefix, int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> prefix + i).toList();
    }

    private static long depth(Connection connection, Destination queue) {
        try {
            return connection.depth(queue).orElse(-1);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private boolean offers(Capability capability) {
        return driver().capabilities(settings()).contains(capability);
    }

    private void needs(Capability capability) {
        needs(capability, settings());
    }

    private void needs(Capability capability, ConnectionSettings settings) {
        assumeTrue(driver().capabilities(settings).contains(capability),
            () -> driver().protocol() + " does not offer " + capability + " (" + capability.option() + ").");
    }

    private void needs(AckMode mode) {
        switch (mode) {
            case AUTO -> { }
            case BATCH -> needs(Capability.BATCH_ACKNOWLEDGEMENT);
            case TRANSACTED -> needs(Capability.TRANSACTED_RECEIVE);
        }
    }

    private void needsAnEndByACut() {
        assumeTrue(!repairsEveryCut(), () -> "A client of " + driver().protocol() + " makes a connection that was cut again and goes on.");
    }

    private static Set<Thread> threads() {
        return Set.copyOf(Thread.getAllStackTraces().keySet());
    }

    private static Set<Thread> clientThreads(Set<Thread> before) {
        return threads().stream().filter(thread -> !before.contains(thread) && thread.isAlive())
            .filter(thread -> thread.getThreadGroup() != null
                && !thread.getThreadGroup().getName().equals("system")
                && !thread.getThreadGroup().getName().equals("InnocuousThreadGroup"))
            .filter(thread -> !thread.getName().startsWith("junit") && !thread.getName().startsWith("surefire"))
            .filter(thread -> !thread.getName().startsWith("ForkJoinPool") && thread != Thread.currentThread())
            .collect(Collectors.toSet());
    }
}
