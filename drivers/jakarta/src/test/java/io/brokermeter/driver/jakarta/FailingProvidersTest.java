package io.brokermeter.driver.jakarta;

import static io.brokermeter.contract.TestMessages.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.driver.jms.ConnectFailure;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.Settlement;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionMetaData;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageListener;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.TransactionRolledBackException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Providers that create a connection and fail at later steps. */
@Timeout(value = 480, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailingProvidersTest {

    /** A provider without a broker. */
    abstract static class Provider extends StubFactory {

        private final AtomicInteger closed;

        Provider(AtomicInteger closed) {
            this.closed = closed;
        }

        abstract void start() throws Exception;

        Session session() {
            return nothing(Session.class);
        }

        static <T> T nothing(Class<T> type) {
            return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, _, _) -> null));
        }

        @Override
        public Connection createConnection() {
            return (Connection) Proxy.newProxyInstance(Provider.class.getClassLoader(), new Class<?>[] {Connection.class},
                (_, method, _) -> switch (method.getName()) {
                    case "createSession" -> session();
                    case "getMetaData" -> nothing(ConnectionMetaData.class);
                    case "start" -> {
                        start();
                        yield null;
                    }
                    case "close" -> {
                        closed.incrementAndGet();
                        yield null;
                    }
                    default -> null;
                });
        }
    }

    /** A provider whose connections fail to start. */
    public static final class Refusing extends Provider {

        static final AtomicInteger CLOSED = new AtomicInteger();

        public Refusing() {
            super(CLOSED);
        }

        @Override
        void start() throws JMSException {
            throw new JMSException("This licence has run out.");
        }
    }

    /** A provider whose connections block forever when they start. */
    public static final class Hanging extends Provider {

        static final AtomicInteger CLOSED = new AtomicInteger();

        public Hanging() {
            super(CLOSED);
        }

        @Override
        void start() throws InterruptedException {
            new CountDownLatch(1).await();
        }
    }

    /** A provider that refuses the second message, and rolls back every transaction that is to be committed. */
    public static class RollingBack extends Provider {

        private final String reason;
        private int sends;

        public RollingBack() {
            this("No.");
        }

        RollingBack(String reason) {
            super(new AtomicInteger());
            this.reason = reason;
        }

        @Override
        void start() {}

        @Override
        Session session() {
            return (Session) Proxy.newProxyInstance(Session.class.getClassLoader(), new Class<?>[] {Session.class},
                (_, method, _) -> switch (method.getName()) {
                    case "createProducer" -> Proxy.newProxyInstance(Session.class.getClassLoader(), new Class<?>[] {MessageProducer.class},
                        (_, call, _) -> {
                            if (call.getName().equals("send") && ++sends == 2) {
                                throw new JMSException("This message is too odd.");
                            }
                            return null;
                        });
                    case "createBytesMessage" -> nothing(BytesMessage.class);
                    case "createQueue" -> nothing(Queue.class);
                    case "commit" -> throw new TransactionRolledBackException(reason);
                    default -> null;
                });
        }
    }

    /** A provider whose commits are in doubt, with the error message of ActiveMQ's client. */
    public static final class InDoubt extends RollingBack {

        public InDoubt() {
            super("Transaction completion in doubt due to failover. Forcing rollback of TX:ID:host-1:1:1");
        }
    }

    /** A provider whose rollbacks fail, and whose commits fail on request; records commits, rollbacks and closes of its sessions. */
    public static final class NeverRollingBack extends Provider {

        static final List<String> CALLS = new CopyOnWriteArrayList<>();
        static volatile @Nullable MessageListener listener;
        static volatile boolean commits;

        public NeverRollingBack() {
            super(new AtomicInteger());
            CALLS.clear();
            listener = null;
            commits = true;
        }

        @Override
        void start() {}

        static void deliver() {
            Objects.requireNonNull(listener).onMessage(nothing(TextMessage.class));
        }

        @Override
        Session session() {
            return (Session) Proxy.newProxyInstance(Session.class.getClassLoader(), new Class<?>[] {Session.class},
                (_, method, _) -> switch (method.getName()) {
                    case "createProducer" -> nothing(MessageProducer.class);
                    case "createConsumer" -> Proxy.newProxyInstance(Session.class.getClassLoader(), new Class<?>[] {MessageConsumer.class},
                        (_, call, arguments) -> {
                            if (call.getName().equals("setMessageListener") && arguments[0] != null) {
                                listener = (MessageListener) arguments[0];
                            }
                            return null;
                        });
                    case "createBytesMessage" -> nothing(BytesMessage.class);
                    case "createQueue" -> nothing(Queue.class);
                    case "commit", "rollback", "close" -> {
                        CALLS.add(method.getName());
                        if (method.getName().equals("rollback") || method.getName().equals("commit") && !commits) {
                            throw new JMSException("Not now.");
                        }
                        yield null;
                    }
                    default -> null;
                });
        }
    }

    private static io.brokermeter.spi.Connection connect(Class<?> factory, int seconds) throws Exception {
        var settings = new ConnectionSettings("jms:", null, null, null, Duration.ofSeconds(seconds), Map.of("factory", factory.getName()));
        return new JakartaDriver().connect(settings, new ConnectionLog());
    }

    @Test
    void aConnectionThatDoesNotStartIsClosed() {
        assertThatThrownBy(() -> connect(Refusing.class, 60)).isInstanceOf(ConnectFailure.class).hasMessage("This licence has run out.");
        Await.until(() -> Refusing.CLOSED.get() == 1, () -> "closed " + Refusing.CLOSED + " times");
    }

    @Test
    void aConnectionThatHangsAtItsStartIsGivenUp() {
        assertThatThrownBy(() -> connect(Hanging.class, 1)).isInstanceOf(ConnectFailure.class).hasMessageContaining("1.0 s");
        Await.until(() -> Hanging.CLOSED.get() == 1, () -> "closed " + Hanging.CLOSED + " times");
    }

    /** The token of that send lies between those of the transaction, whose outcome must not be reported for it. */
    @Test
    void aSendThatThrewIsNotReportedWithItsTransaction() throws Exception {
        var sends = new Sends();
        try (var connection = connect(RollingBack.class, 60);
                var producer =
                    connection.producer(Destination.parse("queue://Q"), ProducerSettings.of(its -> its.transacted = true), sends)) {
            producer.send(payload("a"), 0);
            assertThatThrownBy(() -> producer.send(payload("b"), 1)).hasMessageContaining("too odd");
            producer.send(payload("c"), 2);
            assertThatThrownBy(producer::commit).isInstanceOf(TransactionRolledBackException.class);
            assertThat(sends.failures()).containsOnlyKeys(0L, 2L);
            producer.send(payload("d"), 3);
            assertThatThrownBy(producer::commit).isInstanceOf(TransactionRolledBackException.class);
            assertThat(sends.failures()).containsOnlyKeys(0L, 2L, 3L);
        }
    }

    @Test
    void aTransactionThatIsInDoubtIsUnknown() throws Exception {
        var sends = new Sends();
        try (var connection = connect(InDoubt.class, 60);
                var producer =
                    connection.producer(Destination.parse("queue://Q"), ProducerSettings.of(its -> its.transacted = true), sends)) {
            producer.send(payload("a"), 0);
            assertThatThrownBy(producer::commit).isInstanceOf(TransactionRolledBackException.class);
            assertThat(sends.unknown()).containsOnlyKeys(0L);
        }
    }

    /** Guards against messages that are committed by the close or with the next transaction. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsToBeRolledBackIsNotCommittedThoughTheRollbackFails(boolean goesOn) throws Exception {
        var sends = new Sends();
        try (var connection = connect(NeverRollingBack.class, 60)) {
            var producer =
                connection.producer(Destination.parse("queue://Q"), ProducerSettings.of(its -> its.transacted = true), sends);
            producer.send(payload("a"), 0);
            producer.send(payload("b"), 1);
            assertThatThrownBy(producer::rollback).isInstanceOf(JMSException.class);
            if (goesOn) {
                assertThatThrownBy(() -> producer.send(payload("c"), 2)).hasMessageContaining("Not now.");
                assertThatThrownBy(producer::commit).hasMessageContaining("Not now.");
            }
            producer.close();
            sends.closed();
        }
        assertThat(NeverRollingBack.CALLS).doesNotContain("commit").endsWith("close");
        assertThat(sends.failures()).containsOnlyKeys(0L, 1L);
        assertThat(sends.reported()).isEqualTo(2);
        assertThat(sends.violations()).isEmpty();
    }

    /** Guards against messages that are reported as failed or unknown and then committed with the next transaction. */
    @Test
    void whatAFailedCommitLeftIsNotInTheNextTransaction() throws Exception {
        var sends = new Sends();
        try (var connection = connect(NeverRollingBack.class, 60);
                var producer =
                    connection.producer(Destination.parse("queue://Q"), ProducerSettings.of(its -> its.transacted = true), sends)) {
            NeverRollingBack.commits = false;
            producer.send(payload("a"), 0);
            assertThatThrownBy(producer::commit).hasMessageContaining("Not now.");
            NeverRollingBack.commits = true;
            assertThatThrownBy(() -> producer.send(payload("b"), 1)).hasMessageContaining("Not now.");
        }
        assertThat(NeverRollingBack.CALLS).containsOnlyOnce("commit");
        assertThat(sends.unknown()).containsOnlyKeys(0L);
    }

    /** Guards against a message that is acknowledged together with the next one. */
    @Test
    void aMessageThatCouldNotBeGivenBackIsNotAcknowledged() throws Exception {
        var deliveries = new Deliveries(_ -> NeverRollingBack.CALLS.contains("rollback") ? Settlement.ACCEPT : Settlement.REQUEUE);
        try (var connection = connect(NeverRollingBack.class, 60)) {
            connection.consumer(Destination.parse("queue://Q"), ConsumerSettings.of(its -> its.settles = true), deliveries);
            NeverRollingBack.deliver();
            NeverRollingBack.deliver();
        }
        assertThat(NeverRollingBack.CALLS).filteredOn(call -> !call.equals("close")).containsExactly("rollback");
        assertThat(deliveries.count()).isEqualTo(1);
        assertThat(deliveries.failures()).hasSize(1);
    }

    /** Guards against a close that commits the first two messages together with the third. */
    @Test
    void messagesWhoseTransactionCouldNotBeEndedAreNotCommittedByTheClose() throws Exception {
        var deliveries = new Deliveries();
        try (var connection = connect(NeverRollingBack.class, 60)) {
            connection.consumer(Destination.parse("queue://Q"), ConsumerSettings.of(its -> {
                its.ackMode = AckMode.TRANSACTED;
                its.batch = 2;
            }), deliveries);
            NeverRollingBack.commits = false;
            NeverRollingBack.deliver();
            NeverRollingBack.deliver();
            NeverRollingBack.commits = true;
            NeverRollingBack.deliver();
        }
        assertThat(NeverRollingBack.CALLS).filteredOn(call -> !call.equals("close")).containsExactly("commit", "rollback");
        assertThat(deliveries.count()).isEqualTo(2);
        assertThat(deliveries.failures()).hasSize(1);
    }
}
