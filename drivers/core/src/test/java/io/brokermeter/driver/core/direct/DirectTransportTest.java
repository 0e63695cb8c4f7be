package io.brokermeter.driver.core.direct;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.FreePorts;
import io.brokermeter.contract.Retry;
import io.brokermeter.spi.failure.DriverException;
import jakarta.jms.BytesMessage;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import org.apache.activemq.artemis.jms.client.ActiveMQConnection;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The CORE client over this transport, against a real broker. */
@Timeout(value = 960, unit = TimeUnit.SECONDS)
// The JVM has one client timer of five threads, which connections of other tests can block while they wait for a broker.
@Tag("slow")
@Isolated
class DirectTransportTest {

    private static final BrokerName ARTEMIS = BrokerName.parse("artemis");
    private static final BrokerOptions OPTIONS = BrokerOptions.defaults().withPersistent(false).withHeap("400m");
    private static final String WINDOW = "confirmationWindowSize=1048576";

    /** The longest wait, below the 60 s after which the client itself gives up a silent broker or a request. */
    private static final Duration LIMIT = Duration.ofSeconds(50);

    private static Broker shared;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final String queue = "lean." + System.nanoTime();

    @BeforeAll
    static void start() throws Exception {
        shared = Broker.start(ARTEMIS, OPTIONS);
    }

    @AfterAll
    static void stop() {
        shared.close();
    }

    @AfterEach
    void close() throws Exception {
        for (var each : open.reversed()) {
            each.close();
        }
    }

    /** A factory with the transport, one started connection, and the exceptions of its listener. */
    private record Client(
            ActiveMQConnectionFactory factory, DirectTransport transport, Connection connection,
            BlockingQueue<JMSException> exceptions) implements AutoCloseable {

        static Client connect(String url) throws DriverException, JMSException {
            var factory = new ActiveMQConnectionFactory(url);
            var transport = DirectTransport.install(factory);
            assertThat(transport).isNotNull();
            try {
                var connection = factory.createConnection();
                var exceptions = new LinkedBlockingQueue<JMSException>();
                connection.setExceptionListener(exceptions::add);
                connection.start();
                return new Client(factory, transport, connection, exceptions);
            } catch (JMSException e) {
                factory.close();
                throw e;
            }
        }

        Session session() throws JMSException {
            return connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        }

        @Override
        public void close() throws JMSException {
            connection.close();
            factory.close();
        }
    }

    private Client client(String url) throws DriverException, JMSException {
        var client = Client.connect(url);
        open.add(client);
        return client;
    }

    private record Sender(Client client, Session session, MessageProducer producer) {}

    /** Opens a connection that has confirmed a message. A stall of the machine that outlasts its time to live may end it before. */
    private Sender shortLived(String url) throws Exception {
        return Retry.upTo(5, JMSException.class, () -> {
            var client = client(url);
            var session = client.session();
            var producer = producer(session, queue);
            var completions = new Completions();
            producer.send(message(session, body(100)), completions);
            await("it is confirmed or lost", () -> completions.confirmed.get() > 0 || !client.exceptions().isEmpty());
            if (!client.exceptions().isEmpty()) {
                throw client.exceptions().element();
            }
            return new Sender(client, session, producer);
        });
    }

    private static String url(String... parameters) {
        return url(shared, parameters);
    }

    private static String url(Broker broker, String... parameters) {
        return broker.url() + "?" + String.join("&", parameters);
    }

    private static byte[] body(int size) {
        var bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private static byte[] body(Message message) throws JMSException {
        var bytes = new byte[(int) ((BytesMessage) message).getBodyLength()];
        ((BytesMessage) message).readBytes(bytes);
        return bytes;
    }

    private static BytesMessage message(Session session, byte[] body) throws JMSException {
        var message = session.createBytesMessage();
        message.writeBytes(body);
        return message;
    }

    /** Collects bodies and the names of the threads that delivered them. */
    private static final class Inbox {

        final BlockingQueue<byte[]> bodies = new LinkedBlockingQueue<>();
        final ConcurrentHashMap<String, Boolean> threads = new ConcurrentHashMap<>();

        void listen(Session session, String queue) throws JMSException {
            session.createConsumer(session.createQueue(queue)).setMessageListener(message -> {
                threads.put(Thread.currentThread().getName(), true);
                try {
                    bodies.add(body(message));
                } catch (JMSException e) {
                    bodies.add(new byte[0]);
                }
            });
        }

        byte[] take() throws InterruptedException {
            var body = bodies.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
            assertThat(body).as("a message").isNotNull();
            return body;
        }
    }

    private static final class Completions implements CompletionListener {

        final AtomicInteger confirmed = new AtomicInteger();
        final BlockingQueue<Exception> failed = new LinkedBlockingQueue<>();

        @Override
        public void onCompletion(Message message) {
            confirmed.incrementAndGet();
        }

        @Override
        public void onException(Message message, Exception exception) {
            failed.add(exception);
        }
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long limit = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waiting until %s", what).isLessThan(limit);
            Thread.sleep(5);
        }
    }

    private static MessageProducer producer(Session session, String queue) throws JMSException {
        return session.createProducer(session.createQueue(queue));
    }

    @ParameterizedTest
    @ValueSource(strings = {"minLargeMessageSize=102400", "minLargeMessageSize=10485760"})
    void carriesBodiesOfAllSizesUnchanged(String large) throws Exception {
        var receiver = client(url(WINDOW, large));
        var inline = receiver.session();
        assertThat(receiver.transport().deliverInline(inline)).isTrue();
        var inbox = new Inbox();
        inbox.listen(inline, queue);
        var sender = client(url(WINDOW, large));
        sender.transport().holdSends();
        var session = sender.session();
        var producer = producer(session, queue);
        var completions = new Completions();
        int[] sizes = {28, 30, 1024, 60_000, 65_536, 100_000, 131_072, 262_144, 1 << 20, 1024, 28};
        for (int round = 0; round < 3; round++) {
            for (int size : sizes) {
                producer.send(message(session, body(size)), completions);
            }
            sender.transport().flush();
        }
        for (int round = 0; round < 3; round++) {
            for (int size : sizes) {
                assertThat(Arrays.equals(inbox.take(), body(size))).as("body of %d bytes", size).isTrue();
            }
        }
        await("all are confirmed", () -> completions.confirmed.get() == 3 * sizes.length);
    }

    @Test
    void deliversOnTheReaderOnlyWhereAllowed() throws Exception {
        var receiver = client(url());
        var inline = receiver.session();
        var pooled = receiver.session();
        assertThat(receiver.transport().deliverInline(inline)).isTrue();
        var near = new Inbox();
        var far = new Inbox();
        near.listen(inline, queue + ".near");
        far.listen(pooled, queue + ".far");
        var session = client(url()).session();
        for (int i = 0; i < 100; i++) {
            producer(session, queue + ".near").send(message(session, body(100)));
            producer(session, queue + ".far").send(message(session, body(100)));
            near.take();
            far.take();
        }
        assertThat(near.threads.keySet()).anyMatch(name -> name.startsWith("core-reader"));
        assertThat(far.threads.keySet()).noneMatch(name -> name.startsWith("core-reader"));
    }

    @Test
    void staysWithThePoolWhereAcknowledgingWaitsForTheBroker() throws Exception {
        var receiver = client(url("blockOnAcknowledge=true"));
        assertThat(receiver.transport().deliverInline(receiver.session())).isFalse();
        var slow = client(url("consumerWindowSize=0"));
        assertThat(slow.transport().deliverInline(slow.session())).isFalse();
    }

    @Test
    void sendsWhatWasHeldWithAFlushAndBeforeAnyRequest() throws Exception {
        var inbox = new Inbox();
        inbox.listen(client(url()).session(), queue);
        var sender = client(url(WINDOW));
        sender.transport().holdSends();
        var session = sender.session();
        var producer = producer(session, queue);
        var completions = new Completions();

        producer.send(message(session, body(50)), completions);
        assertThat(inbox.bodies).isEmpty();
        sender.transport().flush();
        assertThat(inbox.take()).isEqualTo(body(50));

        producer.send(message(session, body(60)), completions);
        session.close();
        assertThat(inbox.take()).isEqualTo(body(60));
        await("both are confirmed", () -> completions.confirmed.get() == 2);
    }

    @Test
    void commitsWhatATransactionHolds() throws Exception {
        var receiver = client(url());
        var received = receiver.connection().createSession(true, Session.SESSION_TRANSACTED);
        var consumer = received.createConsumer(received.createQueue(queue));
        var sender = client(url(WINDOW, "blockOnDurableSend=false"));
        sender.transport().holdSends();
        var session = sender.connection().createSession(true, Session.SESSION_TRANSACTED);
        var producer = producer(session, queue);
        for (int i = 0; i < 200; i++) {
            producer.send(message(session, body(1024)));
        }
        assertThat(consumer.receive(200)).isNull();
        session.commit();
        for (int i = 0; i < 200; i++) {
            assertThat(body(consumer.receive(LIMIT.toMillis()))).isEqualTo(body(1024));
        }
        received.commit();
    }

    @Test
    void letsSeveralThreadsShareAConnection() throws Exception {
        int threads = 6;
        int each = 3_000;
        var client = client(url(WINDOW));
        client.transport().holdSends();
        var received = new AtomicInteger();
        var wrong = new AtomicInteger();
        var next = new int[threads];
        var inline = client.session();
        client.transport().deliverInline(inline);
        inline.createConsumer(inline.createQueue(queue)).setMessageListener(message -> {
            try {
                int sender = message.getIntProperty("sender");
                if (message.getIntProperty("sequence") != next[sender]++
                    || !Arrays.equals(body(message), body(700 + sender))) {
                    wrong.incrementAndGet();
                }
            } catch (JMSException e) {
                wrong.incrementAndGet();
            }
            received.incrementAndGet();
        });
        var completions = new Completions();
        var failures = new LinkedBlockingQueue<Exception>();
        var senders = new ArrayList<Thread>();
        for (int thread = 0; thread < threads; thread++) {
            int sender = thread;
            senders.add(Thread.ofPlatform().start(() -> {
                try {
                    var session = client.session();
                    var producer = producer(session, queue);
                    for (int i = 0; i < each; i++) {
                        var message = message(session, body(700 + sender));
                        message.setIntProperty("sender", sender);
                        message.setIntProperty("sequence", i);
                        producer.send(message, completions);
                    }
                    client.transport().flush();
                } catch (JMSException | RuntimeException e) {
                    failures.add(e);
                }
            }));
        }
        for (var sender : senders) {
            sender.join();
        }
        await("all are received and confirmed",
            () -> received.get() == threads * each && completions.confirmed.get() == threads * each);
        assertThat(wrong).hasValue(0);
        assertThat(failures).isEmpty();
        assertThat(completions.failed).isEmpty();
    }

    @Test
    void resumesAWriteThatAFrozenBrokerBlocked() throws Exception {
        int messages = 400;
        var inbox = new Inbox();
        inbox.listen(client(url()).session(), queue);
        var sender = client(
            url(WINDOW, "producerWindowSize=-1", "minLargeMessageSize=10485760", "tcpSendBufferSize=8192"));
        var session = sender.session();
        var producer = producer(session, queue);
        var completions = new Completions();
        var sent = new AtomicInteger();
        shared.node().freeze();
        Thread sending;
        try {
            sending = Thread.ofPlatform().start(() -> {
                try {
                    for (int i = 0; i < messages; i++) {
                        producer.send(message(session, body(60_000 + i)), completions);
                        sent.incrementAndGet();
                    }
                } catch (JMSException e) {
                    completions.failed.add(e);
                }
            });
            await("a message is sent", () -> sent.get() > 0);
            int before = -1;
            while (before != sent.get()) {
                before = sent.get();
                Thread.sleep(300);
            }
            assertThat(before).as("sends before the socket was full").isLessThan(messages);
        } finally {
            shared.node().resume();
        }
        sending.join();
        for (int i = 0; i < messages; i++) {
            assertThat(Arrays.equals(inbox.take(), body(60_000 + i))).isTrue();
        }
        await("all are confirmed", () -> completions.confirmed.get() == messages);
        assertThat(completions.failed).isEmpty();
    }

    /** More connections than the client's timer has threads: a ping over a blocked connection blocks one of these. */
    @Test
    void endsBlockedWritersWhenTheBrokerStaysFrozen() throws Exception {
        var clients = new ArrayList<Client>();
        var writers = new ArrayList<Thread>();
        var completions = new Completions();
        var sent = new AtomicInteger();
        for (int i = 0; i < 8; i++) {
            var sender = shortLived(url(WINDOW, "producerWindowSize=-1", "minLargeMessageSize=10485760",
                "tcpSendBufferSize=8192", "connectionTTL=12000", "clientFailureCheckPeriod=1000"));
            clients.add(sender.client());
            writers.add(Thread.ofPlatform().unstarted(() -> {
                try {
                    while (sender.client().exceptions().isEmpty()) {
                        sender.producer().send(message(sender.session(), body(60_000)), completions);
                        sent.incrementAndGet();
                    }
                } catch (JMSException e) {
                    completions.failed.add(e);
                }
            }));
        }
        shared.node().freeze();
        try {
            writers.forEach(Thread::start);
            for (int i = 0; i < clients.size(); i++) {
                assertThat(clients.get(i).exceptions().poll(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .as("the failure that client " + i + " tells").isNotNull();
                writers.get(i).join(LIMIT);
                assertThat(writers.get(i).isAlive()).as("writer " + i + " still waits").isFalse();
            }
            assertThat(sent.get()).isPositive();
            await("the sends have failed", () -> !completions.failed.isEmpty());
        } finally {
            shared.node().resume();
        }
    }

    @Test
    void tellsWithinTheTimeToLiveThatAnIdleBrokerIsFrozen() throws Exception {
        var client = shortLived(url("connectionTTL=6000", "clientFailureCheckPeriod=1000")).client();
        shared.node().freeze();
        try {
            var exception = client.exceptions().poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
            assertThat(exception).isNotNull();
            assertThat(exception.getMessage()).contains(String.valueOf(shared.port()));
        } finally {
            shared.node().resume();
        }
    }

    @Test
    void tellsTheCauseWhenTheBrokerIsKilledOrReconnectsAndGoesOnDelivering() throws Exception {
        int port = FreePorts.one();
        var inbox = new Inbox();
        Client client;
        Session session;
        MessageProducer producer;
        try (var broker = Broker.start(ARTEMIS, OPTIONS.withPort(port))) {
            client = client(url(broker, WINDOW, "reconnectAttempts=-1", "retryInterval=100"));
            var inline = client.session();
            client.transport().deliverInline(inline);
            inbox.listen(inline, queue);
            session = client.session();
            producer = producer(session, queue);
            producer.send(message(session, body(100)));
            assertThat(inbox.take()).isEqualTo(body(100));
            tellsTheCause(broker);
        }
        try (var broker = Broker.start(ARTEMIS, OPTIONS.withPort(port))) {
            await("the client is back",
                () -> client.exceptions().stream().anyMatch(e -> ActiveMQConnection.EXCEPTION_FAILOVER.equals(e.getErrorCode())));
            producer.send(message(session, body(200)));
            assertThat(inbox.take()).isEqualTo(body(200));
            assertThat(broker.isAlive()).isTrue();
            client.close();
        }
    }

    /** Kills the broker while a client sends that does not reconnect. */
    private void tellsTheCause(Broker broker) throws Exception {
        var client = client(url(broker, WINDOW));
        var session = client.session();
        var producer = producer(session, queue + ".lost");
        var completions = new Completions();
        var sending = Thread.ofPlatform().start(() -> {
            try {
                while (client.exceptions().isEmpty()) {
                    producer.send(message(session, body(500)), completions);
                }
            } catch (JMSException e) {
                completions.failed.add(e);
            }
        });
        await("some are confirmed", () -> completions.confirmed.get() > 100);
        broker.kill();
        await("it is told", () -> !client.exceptions().isEmpty());
        sending.join(LIMIT);
        assertThat(sending.isAlive()).isFalse();
        // all earlier messages may have been confirmed
        try {
            producer.send(message(session, body(500)), completions);
        } catch (JMSException e) {
            completions.failed.add(e);
        }
        await("the sends have failed", () -> !completions.failed.isEmpty());
        assertThat(client.exceptions().peek().getMessage()).isNotBlank();
    }

    @Test
    void reconnectsAtOnceWhenTheConnectionBreaksWhileSessionsAreRestored() throws Exception {
        int port = FreePorts.one();
        Client client;
        MessageProducer producer;
        Session session;
        try (var broker = Broker.start(ARTEMIS, OPTIONS.withPort(port))) {
            client = client(url(broker, WINDOW, "reconnectAttempts=-1", "retryInterval=50", "callTimeout=60000"));
            session = client.session();
            producer = producer(session, queue);
            broker.kill();
            assertThat(broker.node().awaitExit(LIMIT)).isTrue();
        }
        try (var server = new ServerSocket()) {
            server.setReuseAddress(true);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            server.setSoTimeout((int) LIMIT.toMillis());
            try (var socket = server.accept()) {
                // the greeting and the first request, which is not answered
                assertThat(socket.getInputStream().readNBytes("ARTEMIS".length() + 20)).isNotEmpty();
            }
        }
        try (var broker = Broker.start(ARTEMIS, OPTIONS.withPort(port))) {
            await("the client is back",
                () -> client.exceptions().stream().anyMatch(e -> ActiveMQConnection.EXCEPTION_FAILOVER.equals(e.getErrorCode())));
            producer.send(message(session, body(200)));
            client.close();
            assertThat(broker.isAlive()).isTrue();
        }
    }

    @Test
    void takesTheBrokerOfAListThatAnswers() throws Exception {
        int dead = FreePorts.one();
        for (int i = 0; i < 2; i++) {
            try (var client = Client.connect("(tcp://127.0.0.1:" + dead + "," + shared.url() + ")?initialConnectAttempts=3"
                + "&retryInterval=50")) {
                var session = client.session();
                producer(session, queue).send(message(session, body(100)));
            }
        }
    }

    @Test
    void leavesWhatItCannotDoToNetty() throws Exception {
        for (var parameter : List.of("sslEnabled=true&sniHost=h", "sslEnabled=true&trustStoreType=PEM",
            "sslEnabled=true&keyStorePath=file:/gone", "sslEnabled=true&keyStorePassword=ENC(1)", "httpEnabled=true", "socksEnabled=true",
            "useEpoll=false")) {
            try (var factory = new ActiveMQConnectionFactory("tcp://localhost:61616?" + parameter)) {
                assertThat(DirectTransport.install(factory)).as(parameter).isNull();
            }
        }
    }

    @Test
    void leavesNoThreadBehind() throws Exception {
        var threads = Thread.getAllStackTraces().keySet();
        var latch = new CountDownLatch(1);
        try (var client = Client.connect(url(WINDOW))) {
            var session = client.session();
            client.transport().deliverInline(session);
            session.createConsumer(session.createQueue(queue)).setMessageListener(message -> latch.countDown());
            producer(session, queue + ".other").send(message(session, body(10)));
            var sender = client.session();
            producer(sender, queue).send(message(sender, body(10)));
            assertThat(latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
        await("the reader has ended", () -> Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> !threads.contains(thread)).noneMatch(ReaderThread.class::isInstance));
    }
}
