package io.brokermeter.driver.jakarta;

import static io.brokermeter.contract.Messages.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Sends;
import io.brokermeter.driver.jms.ConnectFailure;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.ProducerSettings;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionMetaData;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TransactionRolledBackException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Providers that take a connection and fail at the next steps. */
@Timeout(value = 240, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
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

    /** Throws. */
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

    /** Waits for ever. */
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

    /** Does not take the second message of a transaction, and rolls back what it is asked to commit. */
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

    /** Does not know what became of a commit, in the words of ActiveMQ's client. */
    public static final class InDoubt extends RollingBack {

        public InDoubt() {
            super("Transaction completion in doubt due to failover. Forcing rollback of TX:ID:host-1:1:1");
        }
    }

    private static io.brokermeter.spi.Connection connect(Class<?> factory, int seconds) throws Exception {
        var settings = new ConnectionSettings("jms:", null, null, null, Duration.ofSeconds(seconds), Map.of("factory", factory.getName()));
        return new JakartaDriver().connect(settings, new ConnectionLog());
    }

    @Test
    void aConnectionThatDoesNotStartIsClosed() {
        assertThatThrownBy(() -> connect(Refusing.class, 20)).isInstanceOf(ConnectFailure.class).hasMessage("This licence has run out.");
        Await.until(() -> Refusing.CLOSED.get() == 1, () -> "closed " + Refusing.CLOSED + " times");
    }

    @Test
    void aConnectionThatHangsAtItsStartIsGivenUp() {
        assertThatThrownBy(() -> connect(Hanging.class, 1)).isInstanceOf(ConnectFailure.class).hasMessageContaining("1.0 s");
        Await.until(() -> Hanging.CLOSED.get() == 1, () -> "closed " + Hanging.CLOSED + " times");
    }

    /** It was one of those between the first and the last. */
    @Test
    void aSendThatThrewIsNotReportedWithItsTransaction() throws Exception {
        var sends = new Sends();
        try (var connection = connect(RollingBack.class, 20);
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
        try (var connection = connect(InDoubt.class, 20);
                var producer =
                    connection.producer(Destination.parse("queue://Q"), ProducerSettings.of(its -> its.transacted = true), sends)) {
            producer.send(payload("a"), 0);
            assertThatThrownBy(producer::commit).isInstanceOf(TransactionRolledBackException.class);
            assertThat(sends.unknown()).containsOnlyKeys(0L);
        }
    }
}
