package io.brokermeter.driver.amqp.direct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Retry;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.failure.DriverException;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Modified;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.amqp.transport.Close;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.End;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Open;
import org.apache.qpid.proton.amqp.transport.Role;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rare behaviour of brokers: outcomes other than accepted, missing credit, errors during operations, and missing replies. */
@Tag("slow")
class AmqpDirectProtocolTest {

    private static final Destination QUEUE = new Destination(Destination.Kind.QUEUE, "q");

    private final List<String> reports = new CopyOnWriteArrayList<>();
    private final ConnectionLog log = new ConnectionLog();
    private FakePeer peer;
    private Connection connection;

    private final SendListener listener = new SendListener() {

        @Override
        public void confirmed(long token) {
            reports.add("confirmed " + token);
        }

        @Override
        public void confirmedUpTo(long token) {
            reports.add("up to " + token);
        }

        @Override
        public void failed(long token, Throwable cause) {
            reports.add("failed " + token + ": " + cause.getMessage());
        }

        @Override
        public void unknown(long token, Throwable cause) {
            reports.add("unknown " + token + ": " + cause.getMessage());
        }
    };

    @BeforeEach
    void connect() throws Exception {
        Open open = new Open();
        open.setContainerId("peer");
        open.setMaxFrameSize(UnsignedInteger.valueOf(1024));
        open.setIdleTimeOut(UnsignedInteger.valueOf(600));
        connect(open, 40);
    }

    private void connect(Open open, int seconds) throws Exception {
        peer = new FakePeer(open);
        connection = DirectPath.connect(new ConnectionSettings(peer.url(), null, null, null, Duration.ofSeconds(seconds)), log);
    }

    @AfterEach
    void close() throws Exception {
        connection.close();
        peer.close();
    }

    private Producer producer() throws Exception {
        return connection.producer(QUEUE, ProducerSettings.of(its -> its.maxPending = 100), listener);
    }

    private static void send(Producer producer, int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            producer.send(new Payload(new byte[i]), i);
        }
        producer.flush();
    }

    /** Returns the next frame that is not a heartbeat. */
    private Object frame() throws Exception {
        Object frame = peer.next();
        while (frame.equals("empty")) {
            frame = peer.next();
        }
        return frame;
    }

    private int transfer() throws Exception {
        return ((Transfer) frame()).getDeliveryId().intValue();
    }

    private void settle(int first, int last, DeliveryState state, boolean settled) throws Exception {
        Disposition disposition = new Disposition();
        disposition.setRole(Role.RECEIVER);
        disposition.setFirst(UnsignedInteger.valueOf(first));
        disposition.setLast(UnsignedInteger.valueOf(last));
        disposition.setSettled(settled);
        disposition.setState(state);
        peer.write(0, 0, disposition);
    }

    private void awaitReports(String... wanted) {
        Await.until(() -> reports.size() >= wanted.length, () -> "only " + reports);
        assertThat(reports).containsExactly(wanted);
        reports.clear();
    }

    private static ErrorCondition error(String text) {
        return new ErrorCondition(Symbol.valueOf("amqp:test"), text);
    }

    @Test
    void keepsMessagesWhileThereIsNoCredit() throws Exception {
        var producer = producer();
        send(producer, 0, 5);
        assertThat(producer.stallReason()).isEqualTo("link credit 0");
        peer.grant(3, 0, 0);
        assertThat(List.of(transfer(), transfer(), transfer())).containsExactly(0, 1, 2);
        Await.until(() -> producer.stallReason().equals("link credit 0"), producer::stallReason);
        send(producer, 5, 6);
        peer.grant(100, 3, 3);
        assertThat(List.of(transfer(), transfer(), transfer())).containsExactly(3, 4, 5);
        Await.until(() -> producer.stallReason().isEmpty(), producer::stallReason);
        settle(0, 5, Accepted.getInstance(), true);
        awaitReports("up to 5");
    }

    /** What never left is not of unknown fate. */
    @Test
    void sendsWithoutCreditHaveFailedWhenTheProducerCloses() throws Exception {
        var producer = producer();
        peer.grant(2, 0, 0);
        Await.until(() -> producer.stallReason().isEmpty(), producer::stallReason);
        send(producer, 0, 5);
        assertThat(List.of(transfer(), transfer())).containsExactly(0, 1);
        settle(0, 1, Accepted.getInstance(), true);
        producer.close();
        assertThat(reports).hasSize(4).startsWith("up to 1").filteredOn(report -> report.contains("link credit 0")).hasSize(3)
            .allMatch(report -> report.startsWith("failed"));
    }

    /** Brokers grant new credit only for messages that they have received, and a few small messages do not fill the output buffer. */
    @Test
    void writesWhatItHasBeforeItWaitsForCredit() throws Exception {
        Open open = new Open();
        open.setContainerId("calm"); // no idle timeout: a heartbeat would write the rest of the buffer
        try (var calm = new FakePeer(open)) {
            var other = DirectPath.connect(new ConnectionSettings(calm.url(), null, null, null, Duration.ofSeconds(40)), log);
            var producer = other.producer(QUEUE, ProducerSettings.of(its -> its.maxPending = 0), listener);
            calm.grant(3, 0, 0, 5000);
            Await.until(() -> producer.stallReason().isEmpty(), producer::stallReason);
            var sender = CompletableFuture.runAsync(() -> {
                try {
                    for (int i = 0; i < 1100; i++) {
                        producer.send(new Payload(new byte[1]), i);
                    }
                    producer.flush();
                } catch (Exception e) {
                    throw new CompletionException(e);
                }
            });
            for (int i = 0; i < 1100; i++) {
                if (i == 3) {
                    calm.grant(2000, 3, 3, 5000);
                }
                assertThat(((Transfer) calm.next()).getDeliveryId().intValue()).isEqualTo(i);
            }
            sender.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void confirmsARangeOnlyWhenEverythingBelowIsSettled() throws Exception {
        var producer = producer();
        peer.grant(100, 0, 0);
        Await.until(() -> producer.stallReason().isEmpty(), producer::stallReason);
        send(producer, 0, 10);
        for (int i = 0; i < 10; i++) {
            assertThat(transfer()).isEqualTo(i);
        }
        settle(1, 2, Accepted.getInstance(), true);
        awaitReports("confirmed 1", "confirmed 2");
        settle(0, 0, Accepted.getInstance(), true);
        awaitReports("up to 0");
        Rejected rejected = new Rejected();
        rejected.setError(error("too blue"));
        settle(3, 3, rejected, true);
        awaitReports("failed 3: The broker rejected a message on queue://q: too blue [amqp:test]");
        settle(0, 4, Accepted.getInstance(), true);
        awaitReports("up to 4");
        settle(6, 6, Released.getInstance(), true);
        settle(7, 7, new Modified(), true);
        awaitReports("failed 6: The broker released a message on queue://q without taking it.",
            "failed 7: The broker gave back a message on queue://q as modified.");
        settle(5, 9, Accepted.getInstance(), false);
        awaitReports("up to 9");
        var answer = (Disposition) frame();
        assertThat(answer.getSettled()).isTrue();
        assertThat(answer.getFirst().intValue()).isEqualTo(5);
        assertThat(answer.getLast().intValue()).isEqualTo(9);
    }

    @Test
    void splitsAMessageIntoFramesOfThePeersSize() throws Exception {
        var producer = producer();
        peer.grant(100, 0, 0);
        Await.until(() -> producer.stallReason().isEmpty(), producer::stallReason);
        producer.send(new Payload(new byte[5000]), 0);
        producer.flush();
        int frames = 0;
        Transfer transfer;
        do {
            transfer = (Transfer) frame();
            assertThat(transfer.getDeliveryId().intValue()).isZero();
            frames++;
        } while (transfer.getMore());
        assertThat(frames).isEqualTo(6);
        settle(0, 0, Accepted.getInstance(), true);
        awaitReports("up to 0");
    }

    /** The message needs six frames, and the window of the peer allows two at a time. */
    @Test
    void splitsAMessageThatIsLargerThanThePeersWindow() throws Exception {
        var producer = producer();
        peer.grant(1, 0, 0, 2);
        Await.until(() -> producer.stallReason().isEmpty(), producer::stallReason);
        producer.send(new Payload(new byte[5000]), 0);
        producer.flush();
        assertThat(producer.stallReason()).contains("session window");
        for (int frames = 0; frames < 6; frames += 2) {
            for (int i = frames; i < frames + 2; i++) {
                var transfer = (Transfer) frame();
                assertThat(transfer.getDeliveryId().intValue()).isZero();
                assertThat(transfer.getMore()).isEqualTo(i < 5);
            }
            peer.grant(frames == 4 ? 5 : 1, frames == 4 ? 1 : 0, frames + 2, 2);
        }
        settle(0, 0, Accepted.getInstance(), true);
        awaitReports("up to 0");
        send(producer, 1, 2);
        assertThat(transfer()).isEqualTo(1);
    }

    @Test
    void takesAnOutcomeForAcceptedThatIsNamedByASymbol() throws Exception {
        var producer = producer();
        peer.grant(100, 0, 0);
        Await.until(() -> producer.stallReason().isEmpty(), producer::stallReason);
        send(producer, 0, 1);
        assertThat(transfer()).isZero();
        byte[] symbol = "amqp:accepted:list".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        var frame = ByteBuffer.allocate(100)
            .put(new byte[] {0, 0, 0, 0, 2, 0, 0, 0, 0, 0x53, 0x15, (byte) 0xc0, 0, 5, 0x41, 0x43, 0x43, 0x41}).put((byte) 0)
            .put((byte) 0xa3).put((byte) symbol.length).put(symbol).put((byte) 0x45).flip();
        frame.putInt(0, frame.limit()).put(12, (byte) (frame.limit() - 13));
        peer.raw(frame);
        awaitReports("up to 0");
    }

    /** The caller has given up, so nothing would settle the messages that the credit allows. */
    @Test
    void givesNoCreditToAConsumerThatTheBrokerOpensTooLate() throws Exception {
        // a standstill may exceed the limit, for which the consumer waits, elsewhere
        Retry.upTo(3, Throwable.class, () -> {
            givesNoCreditToALateConsumer();
            return log;
        });
    }

    private void givesNoCreditToALateConsumer() throws Exception {
        close();
        Open open = new Open();
        open.setContainerId("peer");
        connect(open, 5);
        peer.withhold();
        var deliveries = new Deliveries();
        assertThatThrownBy(() -> connection.consumer(QUEUE, ConsumerSettings.DEFAULT, deliveries)).hasMessageContaining("did not answer");
        peer.release();
        producer();
        while (!peer.isSilent()) {
            assertThat(peer.next()).isEqualTo("empty");
        }
        assertThat(log.losses()).isEmpty();
    }

    /** Both sides may end a session at the same time; each is ended once. */
    @Test
    void endsASessionOnceThatThePeerEndsAtTheSameTime() throws Exception {
        var producer = producer();
        peer.withhold();
        var closing = CompletableFuture.runAsync(producer::close);
        Await.until(() -> peer.withheld() == 2, () -> peer.withheld() + " answers are kept back");
        peer.write(0, 0, new End());
        closing.get(60, TimeUnit.SECONDS);
        var other = CompletableFuture.supplyAsync(() -> {
            try {
                return producer();
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        });
        // the third withheld reply is that to the attach of the new producer; a second end would arrive before it
        Await.until(() -> peer.withheld() == 3, () -> peer.withheld() + " answers are kept back");
        assertThat(peer.ends()).isEqualTo(1);
        other.cancel(true);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void countsAMessageAsUsedCreditThatTheBrokerAborted(boolean mayBlock) throws Exception {
        connection.consumer(QUEUE, ConsumerSettings.of(its -> {
            its.prefetch = 2;
            its.mayBlock = mayBlock;
        }), new Deliveries());
        assertThat(((Flow) frame()).getLinkCredit().intValue()).isEqualTo(2);
        Transfer transfer = new Transfer();
        transfer.setHandle(UnsignedInteger.ZERO);
        transfer.setDeliveryId(UnsignedInteger.ZERO);
        transfer.setDeliveryTag(new org.apache.qpid.proton.amqp.Binary(new byte[1]));
        transfer.setMore(true);
        peer.write(0, 0, transfer);
        transfer.setMore(false);
        transfer.setAborted(true);
        peer.write(0, 0, transfer);
        var flow = (Flow) frame();
        assertThat(flow.getDeliveryCount().intValue()).isEqualTo(1);
        assertThat(flow.getLinkCredit().intValue()).isEqualTo(2);
    }

    /** The caller polls again at once, and would otherwise use a whole processor. */
    @Test
    void takesTheTimeOfAPollWhenTheConsumerIsOver() throws Exception {
        var deliveries = new Deliveries();
        var consumer = connection.consumer(QUEUE, ConsumerSettings.of(its -> its.polling = true), deliveries);
        Detach detach = new Detach();
        detach.setHandle(UnsignedInteger.ZERO);
        detach.setClosed(true);
        peer.write(0, 0, detach);
        Await.until(() -> !deliveries.failures().isEmpty(), () -> "nothing was heard");
        long start = System.nanoTime();
        for (int i = 0; i < 5; i++) {
            consumer.poll(Duration.ofMillis(100));
        }
        assertThat(System.nanoTime() - start).isGreaterThan(100_000_000);
    }

    @Test
    void failsWhatIsOpenWhenTheBrokerEndsTheLink() throws Exception {
        var producer = producer();
        send(producer, 0, 1);
        Detach detach = new Detach();
        detach.setHandle(UnsignedInteger.ZERO);
        detach.setClosed(true);
        detach.setError(error("queue was deleted"));
        peer.write(0, 0, detach);
        awaitReports("failed 0: The broker closed the link to queue://q: queue was deleted [amqp:test]");
        assertThatThrownBy(() -> send(producer, 1, 2)).hasMessageContaining("queue was deleted");
        assertThat(log.losses()).isEmpty();
    }

    /** A broker may withhold outcomes but confirm that the producer detached, which must not be reported as a detach by the broker. */
    @Test
    void saysThatTheProducerWasClosedBeforeItsMessagesWereConfirmed() throws Exception {
        var producer = producer();
        peer.grant(1, 0, 0);
        Await.until(() -> producer.stallReason().isEmpty(), producer::stallReason);
        send(producer, 0, 2);
        assertThat(transfer()).isZero();
        assertThat(((AmqpConnection) connection).links.detach((AmqpProducer) producer)).isTrue();
        assertThat(reports).isEmpty();
        producer.close();
        awaitReports("failed 1: The broker would not take the message, so it was never sent: link credit 0.",
            "unknown 0: The producer on queue://q was closed before the broker confirmed the message.");
    }

    @Test
    void tellsTheBrokersReasonForClosingTheConnection() throws Exception {
        var producer = producer();
        send(producer, 0, 1);
        Close close = new Close();
        close.setError(error("going home"));
        peer.write(0, 0, close);
        awaitReports("failed 0: The broker closed the connection: going home [amqp:test]");
        Await.until(() -> !log.losses().isEmpty(), () -> "the loss went unheard");
        assertThat(log.losses()).hasSize(1);
        assertThat(log.losses().getFirst()).hasMessageContaining("going home");
        assertThatThrownBy(() -> send(producer, 1, 2)).hasMessageContaining("going home");
    }

    @Test
    void sendsHeartbeatsAsOftenAsThePeerAsks() throws Exception {
        assertThat(peer.next()).isEqualTo("empty");
        assertThat(peer.next()).isEqualTo("empty");
    }

    @Test
    void givesUpAPeerThatFallsSilent() throws Exception {
        Open open = new Open();
        open.setContainerId("silent");
        try (var silent = new FakePeer(open)) {
            var lost = new ConnectionLog();
            var other = DirectPath.connect(
                new ConnectionSettings(silent.url() + "?amqp.idleTimeout=500", null, null, null, Duration.ofSeconds(40)), lost);
            Await.until(() -> !lost.losses().isEmpty(), () -> "the silence went unheard");
            assertThat(lost.losses().getFirst()).hasMessageContaining("sent nothing for ");
            other.close();
        }
    }

    @Test
    void givesLittleCreditForLargeMessages() throws Exception {
        connection.consumer(QUEUE, ConsumerSettings.of(its -> its.messageBytes = 1_000_000), new Deliveries());
        assertThat(((Flow) frame()).getLinkCredit().intValue()).isEqualTo(16);
    }

    @Test
    void renewsTheCreditWhenHalfOfItIsUsed() throws Exception {
        var deliveries = new Deliveries();
        connection.consumer(QUEUE, ConsumerSettings.of(its -> its.prefetch = 4), deliveries);
        assertThat(((Flow) frame()).getLinkCredit().intValue()).isEqualTo(4);
        deliver(0);
        assertThat(((Disposition) frame()).getFirst().intValue()).isZero();
        deliver(1);
        assertThat(((Disposition) frame()).getFirst().intValue()).isEqualTo(1);
        var flow = (Flow) frame();
        assertThat(flow.getDeliveryCount().intValue()).isEqualTo(2);
        assertThat(flow.getLinkCredit().intValue()).isEqualTo(4);
        assertThat(deliveries.texts()).containsExactly("", "");
    }

    @Test
    void givesCreditForOneMessageAtAPoll() throws Exception {
        var deliveries = new Deliveries();
        var consumer = connection.consumer(QUEUE,
            ConsumerSettings.of(its -> its.polling = true), deliveries);
        assertThat(consumer.needsPolling()).isTrue();
        consumer.poll(Duration.ofMillis(1));
        assertThat(((Flow) frame()).getLinkCredit().intValue()).isEqualTo(1);
        consumer.poll(Duration.ofMillis(1));
        deliver(0);
        consumer.poll(Duration.ofSeconds(60));
        assertThat(deliveries.count()).isEqualTo(1);
        assertThat(((Disposition) frame()).getFirst().intValue()).isZero();
        consumer.poll(Duration.ofMillis(1));
        var flow = (Flow) frame();
        assertThat(flow.getDeliveryCount().intValue()).isEqualTo(1);
        assertThat(flow.getLinkCredit().intValue()).isEqualTo(1);
    }

    @Test
    void settlesEachMessageAsItsListenerAnswers() throws Exception {
        var answers = List.of(Settlement.ACCEPT, Settlement.REQUEUE, Settlement.REJECT).iterator();
        connection.consumer(QUEUE, ConsumerSettings.of(its -> {
            its.ackMode = AckMode.BATCH;
            its.batch = 10;
            its.prefetch = 100;
            its.settles = true;
        }),
            new Deliveries(delivery -> answers.next()));
        assertThat(frame()).isInstanceOf(Flow.class);
        deliver(0);
        deliver(1);
        var accepted = (Disposition) frame();
        assertThat(accepted.getFirst().intValue()).isZero();
        assertThat(accepted.getState()).isInstanceOf(Accepted.class);
        var modified = (Disposition) frame();
        assertThat(modified.getFirst().intValue()).isEqualTo(1);
        assertThat(((Modified) modified.getState()).getDeliveryFailed()).isTrue();
        deliver(2);
        var rejected = (Disposition) frame();
        assertThat(rejected.getFirst().intValue()).isEqualTo(2);
        assertThat(rejected.getState()).isInstanceOf(Rejected.class);
        assertThat(rejected.getSettled()).isTrue();
    }

    @Test
    void refusesADelayThatTheBrokerDoesNotOffer() {
        assertThatThrownBy(() -> connection.producer(QUEUE,
            ProducerSettings.of(its -> { its.delayMillis = 1000; its.maxPending = 1; }), listener))
            .isInstanceOf(DriverException.class).hasMessageContaining("message.deliveryDelay");
    }

    @Test
    void readsTheEnvelopeInBothForms() {
        var message = new IncomingMessage();
        byte[] name = Payload.PROPERTY.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        for (int code : new int[] {0xa0, 0xa1}) {
            byte[] value = code == 0xa0 ? new byte[] {1, -1} : new byte[] {'0', '1', 'f', 'f'};
            int size = 1 + 3 + 3 + 2 + name.length + 2 + value.length;
            var in = ByteBuffer.allocate(200).put(new byte[] {0, 0x53, 0x74, (byte) 0xc1, (byte) size, 4})
                .put(new byte[] {(byte) 0xa1, 1, 'a', (byte) 0xa1, 1, 'b', (byte) 0xa1, (byte) name.length}).put(name)
                .put((byte) code).put((byte) value.length).put(value).put(new byte[] {0, 0x53, 0x75, (byte) 0xa0, 1, 'x'});
            assertThat(message.body(in.flip()).remaining()).isEqualTo(1);
            var envelope = message.envelope();
            assertThat(envelope).isNotNull();
            assertThat(envelope.remaining()).isEqualTo(2);
            assertThat(envelope.get(1)).isEqualTo((byte) -1);
        }
        assertThat(body(message, 0, 0x53, 0x75, 0xa0, 1, 'x')).isEqualTo("x");
        assertThat(message.envelope()).isNull();
    }

    /** The link credit is 100 messages, and the session window 4 frames. */
    @Test
    void opensTheWindowOfItsSessionAgainWhenHalfOfItIsUsed() throws Exception {
        connection.close();
        peer.close();
        Open open = new Open();
        open.setContainerId("peer");
        peer = new FakePeer(open);
        connection = DirectPath.connect(new ConnectionSettings(peer.url(), null, null, null, Duration.ofSeconds(40)), 4, log);
        connection.consumer(QUEUE, ConsumerSettings.of(its -> {
            its.ackMode = AckMode.BATCH;
            its.batch = 1000;
            its.prefetch = 100;
        }), new Deliveries());
        Flow credit = (Flow) frame();
        assertThat(credit.getHandle()).isNotNull();
        assertThat(credit.getIncomingWindow().intValue()).isEqualTo(4);
        assertThat(credit.getLinkCredit().intValue()).isEqualTo(100);
        deliver(0);
        deliver(1);
        Flow half = (Flow) frame();
        assertThat(half.getHandle()).as("it says nothing of the link").isNull();
        assertThat(half.getNextIncomingId().intValue()).isEqualTo(2);
        assertThat(half.getIncomingWindow().intValue()).isEqualTo(4);
        deliver(2);
        deliver(3);
        assertThat(((Flow) frame()).getNextIncomingId().intValue()).isEqualTo(4);
    }

    private void deliver(int id) throws Exception {
        Transfer transfer = new Transfer();
        transfer.setHandle(UnsignedInteger.ZERO);
        transfer.setDeliveryId(UnsignedInteger.valueOf(id));
        transfer.setDeliveryTag(new org.apache.qpid.proton.amqp.Binary(new byte[] {(byte) id}));
        peer.write(0, 0, transfer);
    }

    @Test
    void readsBodiesOfEveryShapeWithoutThrowing() {
        var message = new IncomingMessage();
        assertThat(body(message, 0, 0x53, 0x75, 0xa0, 2, 'a', 'b')).isEqualTo("ab");
        assertThat(body(message, 0, 0x53, 0x75, 0xa0, 1, 'a', 0, 0x53, 0x75, 0xb0, 0, 0, 0, 2, 'b', 'c', 0, 0x53, 0x75, 0xa0,
            1, 'd')).isEqualTo("abcd");
        assertThat(body(message, 0, 0x53, 0x77, 0xa0, 1, 'v')).isEqualTo("v");
        assertThat(body(message, 0, 0x53, 0x77, 0xa1, 1, 't')).isEmpty();
        assertThat(body(message, 0, 0x53, 0x76, 0x45)).isEmpty();
        assertThat(body(message)).isEmpty();
        assertThat(body(message, 0, 0x53, 0x75, 0xb0, 0x7f, 0, 0, 0, 'x')).isEmpty();
        assertThat(body(message, 1, 2, 3)).isEmpty();
        assertThat(message.redelivered()).isFalse();
        assertThat(body(message, 0, 0x53, 0x70, 0xc0, 7, 5, 0x42, 0x40, 0x40, 0x42, 0x52, 1, 0, 0x53, 0x75, 0xa0, 1, 'r'))
            .isEqualTo("r");
        assertThat(message.redelivered()).isTrue();
        assertThat(body(message, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x75, 0xa0, 1, 'l')).isEqualTo("l");
        assertThat(message.redelivered()).isFalse();
    }

    private static String body(IncomingMessage message, int... bytes) {
        var buffer = ByteBuffer.allocate(bytes.length);
        for (int b : bytes) {
            buffer.put((byte) b);
        }
        return java.nio.charset.StandardCharsets.UTF_8.decode(message.body(buffer.flip())).toString();
    }
}
