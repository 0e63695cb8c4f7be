package io.brokermeter.driver.amqp091.direct;

import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.transacted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Retry;
import io.brokermeter.contract.Sends;
import io.brokermeter.driver.amqp091.Amqp091Driver;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rare behaviour of real brokers, simulated by a scripted one. */
@Tag("slow")
class Amqp091DirectProtocolTest {

    private static final Destination QUEUE = new Destination(Destination.Kind.QUEUE, "q");

    private final ConnectionLog log = new ConnectionLog();
    private final Sends sends = new Sends();

    private Connection connect(int port, String query) throws Exception {
        return connect(port, query, 40);
    }

    private Connection connect(int port, String query, int seconds) throws Exception {
        return new Amqp091Driver().connect(new ConnectionSettings("amqp091://127.0.0.1:" + port + query, null, null, null,
            Duration.ofSeconds(seconds)), log);
    }

    private Producer producer(Connection connection) throws Exception {
        return connection.producer(QUEUE, ProducerSettings.DEFAULT, sends);
    }

    private static Payload payload(String text) {
        return new Payload(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void namesTheBrokerAndReadsItsProperties() throws Exception {
        try (var broker = new FakeAmqp091Broker(0); var connection = connect(broker.port(), "")) {
            assertThat(connection.broker()).isEqualTo("Fake 1.0");
        }
    }

    /** Without the notice, a comparison of queue types would compare classic queues with classic queues. */
    @ParameterizedTest
    @CsvSource({"quorum,false,false,true", "quorum,true,false,false", "quorum,false,true,true", "quorum,true,true,false",
        "classic,false,false,false"})
    void saysThatTheQueueOfAConsumerIsOfAnotherType(String type, boolean durable, boolean shared, boolean noticed) throws Exception {
        try (var broker = new FakeAmqp091Broker(0); var connection = connect(broker.port(), "?queue-type=" + type)) {
            connection.consumer(new Destination(Destination.Kind.TOPIC, "t"), ConsumerSettings.of(its -> {
                its.durable = durable;
                its.shared = shared;
                its.subscription = durable || shared ? "s" : null;
            }), new Deliveries());
            assertThat(log.notices().stream().filter(notice -> notice.startsWith("queue-type=quorum does not hold")))
                .hasSize(noticed ? 1 : 0);
        }
    }

    @Test
    void saysThatTheServerSpeaksAnotherVersion() throws Exception {
        try (var server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                try (var socket = server.accept()) {
                    socket.getOutputStream().write(new byte[] {'A', 'M', 'Q', 'P', 0, 1, 0, 0});
                    socket.getInputStream().read(new byte[100]);
                    Thread.sleep(1000);
                } catch (Exception e) {
                    // the test is over
                }
            });
            assertThatThrownBy(() -> connect(server.getLocalPort(), "")).message()
                .contains("does not speak AMQP 0-9-1").contains("AMQP 1-0-0");
        }
    }

    @Test
    void holdsMessagesBackWhileTheBrokerBlocksTheConnection() throws Exception {
        try (var broker = new FakeAmqp091Broker(0); var connection = connect(broker.port(), "")) {
            var producer = producer(connection);
            broker.method(0, Method.CONNECTION_BLOCKED, to -> Fields.shortText(to, "low on memory"));
            Await.until(() -> producer.stallReason().contains("low on memory"), () -> "'" + producer.stallReason() + "'");
            Await.until(() -> log.notices().size() == 1 && log.notices().getFirst().contains("low on memory"),
                () -> "the notices are " + log.notices());
            var sending = sending(producer);
            assertThat(Await.holdsWithin(Duration.ofMillis(200), () -> broker.published() > 0)).isFalse();
            broker.method(0, Method.CONNECTION_UNBLOCKED, to -> {});
            broker.awaitPublished(1);
            sending.join();
            assertThat(producer.stallReason()).isEmpty();
            Await.until(() -> log.notices().size() == 2, () -> "no notice among " + log.notices());
        }
    }

    @Test
    void holdsMessagesBackWhileTheBrokerStopsTheChannel() throws Exception {
        try (var broker = new FakeAmqp091Broker(0); var connection = connect(broker.port(), "")) {
            var producer = producer(connection);
            producer.send(payload("first"), 0);
            producer.flush();
            broker.awaitPublished(1);
            broker.method(2, Method.CHANNEL_FLOW, to -> to.put((byte) 0));
            broker.awaitMethod(Method.CHANNEL_FLOW_OK);
            assertThat(producer.stallReason()).contains("channel.flow");
            var sending = sending(producer);
            assertThat(Await.holdsWithin(Duration.ofMillis(200), () -> broker.published() > 1)).isFalse();
            broker.method(2, Method.CHANNEL_FLOW, to -> to.put((byte) 1));
            broker.awaitPublished(2);
            sending.join();
        }
    }

    private static Thread sending(Producer producer) {
        return Thread.ofVirtual().start(() -> {
            try {
                producer.send(payload("held"), 1);
                producer.flush();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    void knowsNothingOfPendingSendsWhenTheBrokerClosesTheConnection() throws Exception {
        try (var broker = new FakeAmqp091Broker(0); var connection = connect(broker.port(), "")) {
            var producer = producer(connection);
            for (int i = 0; i < 10; i++) {
                producer.send(payload("m" + i), i);
            }
            producer.flush();
            broker.awaitPublished(10);
            broker.method(2, Method.BASIC_ACK, to -> to.putLong(4).put((byte) 1));
            broker.method(0, Method.CONNECTION_CLOSE, to -> {
                to.putShort((short) 320);
                Fields.shortText(to, "CONNECTION_FORCED - for a test");
                to.putInt(0);
            });
            sends.awaitReported(10);
            Await.until(() -> !log.losses().isEmpty(), () -> "the loss went unheard");
            broker.awaitMethod(Method.CONNECTION_CLOSE_OK);
            assertThat(sends.confirmed()).isEqualTo(4);
            assertThat(sends.failures()).isEmpty();
            assertThat(sends.unknown().get(9L).getMessage()).contains("CONNECTION_FORCED").contains("320");
            assertThat(log.losses()).hasSize(1);
            assertThatThrownBy(() -> producer.send(payload("more"), 10)).message().contains("CONNECTION_FORCED");
            assertThat(sends.violations()).isEmpty();
        }
    }

    /** The broker may have refused any of them, and those sent before it may already be in a queue. */
    @ParameterizedTest
    @ValueSource(strings = {"own", "client"})
    void knowsNothingOfSeveralPendingSendsWhenTheBrokerClosesTheChannel(String transport) throws Exception {
        for (int count : new int[] {1, 3}) {
            var sent = new Sends();
            try (var broker = new FakeAmqp091Broker(0); var connection = connect(broker.port(), "?transport=" + transport)) {
                var producer = connection.producer(QUEUE, ProducerSettings.DEFAULT, sent);
                for (int i = 0; i < count; i++) {
                    producer.send(payload("m" + i), i);
                }
                producer.flush();
                broker.awaitPublished(count);
                broker.closeChannel(2, 404, "NOT_FOUND");
                sent.awaitReported(count);
                assertThat(sent.failures()).hasSize(count == 1 ? 1 : 0);
                assertThat(sent.unknown()).hasSize(count == 1 ? 0 : 3)
                    .allSatisfy((token, cause) -> assertThat(cause.getMessage()).contains("NOT_FOUND"));
                assertThat(sent.violations()).isEmpty();
            }
        }
        assertThat(log.losses()).isEmpty();
    }

    /** Each side then confirms the close of the other one. */
    @Test
    void outlivesAChannelThatBothSidesClose() throws Exception {
        try (var broker = new FakeAmqp091Broker(0); var connection = connect(broker.port(), "")) {
            var producer = producer(connection);
            broker.mute();
            var closing = Thread.ofVirtual().start(producer::close);
            broker.awaitMethod(Method.CHANNEL_CLOSE);
            broker.closeChannel(2, 404, "NOT_FOUND");
            broker.awaitMethod(Method.CHANNEL_CLOSE_OK);
            broker.unmute();
            broker.method(2, Method.CHANNEL_CLOSE_OK, to -> {});
            closing.join();
            connection.declare(QUEUE);
            producer(connection).close();
            assertThat(log.losses()).isEmpty();
        }
    }

    /** The broker would end the whole connection for a message on a channel that it was asked to close. */
    @Test
    void sendsNothingAfterARollbackThatWasNotAnswered() throws Exception {
        try (var broker = new FakeAmqp091Broker(0); var connection = new Amqp091Driver().connect(new ConnectionSettings(
            "amqp091://127.0.0.1:" + broker.port(), null, null, null, Duration.ofSeconds(1)), log)) {
            var producer = connection.producer(QUEUE, transacted(), new Sends());
            producer.send(payload("0"), 0);
            broker.mute();
            assertThatThrownBy(producer::rollback).hasMessageContaining("did not answer");
            broker.awaitMethod(Method.CHANNEL_CLOSE);
            assertThatThrownBy(() -> producer.send(payload("1"), 1)).hasMessageContaining("did not answer a commit or a rollback");
            broker.unmute();
        }
    }

    @Test
    void takesALateAnswerForNoLaterRequest() throws Exception {
        // a standstill may exceed the limit, for which the first of these requests waits, elsewhere
        Retry.upTo(3, Throwable.class, () -> {
            takesALateAnswerForItsOwnRequestAlone();
            return log;
        });
    }

    private void takesALateAnswerForItsOwnRequestAlone() throws Exception {
        try (var broker = new FakeAmqp091Broker(0); var connection = new Amqp091Driver().connect(new ConnectionSettings(
            "amqp091://127.0.0.1:" + broker.port(), null, null, null, Duration.ofSeconds(5)), log)) {
            connection.declare(QUEUE);
            broker.mute();
            assertThatThrownBy(() -> connection.depth(QUEUE)).hasMessageContaining("did not answer");
            var depth = CompletableFuture.supplyAsync(() -> {
                try {
                    return connection.depth(QUEUE).orElseThrow();
                } catch (Exception e) {
                    throw new CompletionException(e);
                }
            });
            broker.awaitMethods(Method.QUEUE_DECLARE, 3);
            for (int messages : new int[] {77, 5}) {
                broker.method(1, Method.QUEUE_DECLARE_OK, to -> {
                    Fields.shortText(to, "q");
                    to.putInt(messages).putInt(0);
                });
            }
            assertThat(depth.get(60, TimeUnit.SECONDS)).isEqualTo(5);
            broker.unmute();
        }
    }

    /** The reader may notice the end of the connection before the committing thread has resumed. */
    @Test
    void confirmsATransactionWhoseCommitIsTheLastThatTheBrokerAnswers() throws Exception {
        for (int round = 0; round < 100; round++) {
            var sent = new Sends();
            try (var broker = new FakeAmqp091Broker(0); var connection = connect(broker.port(), "")) {
                broker.endWithTheCommit();
                var producer = connection.producer(QUEUE, ProducerSettings.of(its -> its.transacted = true), sent);
                producer.send(payload("m"), 0);
                producer.commit();
                producer.close();
                assertThat(sent.confirmed()).as("confirmed sends of round " + round + ", unknown " + sent.unknown()).isEqualTo(1);
                assertThat(sent.violations()).isEmpty();
            }
        }
    }

    /** In mode AUTO all acknowledgements have been sent when the consumer closes; without a reply it is unknown whether they arrived. */
    @ParameterizedTest
    @ValueSource(strings = {"own", "client"})
    void saysThatNobodyKnowsOfTheAcknowledgementsWhenTheBrokerIsSilent(String transport) throws Exception {
        var deliveries = new Deliveries();
        try (var broker = new FakeAmqp091Broker(0); var connection = connect(broker.port(), "?transport=" + transport)) {
            var consumer = connection.consumer(QUEUE, ConsumerSettings.of(its -> its.prefetch = 10), deliveries);
            broker.deliver(2, 1, new byte[] {1});
            broker.awaitMethod(Method.BASIC_ACK);
            broker.mute();
            assertThatThrownBy(consumer::close).hasMessageContaining("last acknowledgements");
            assertThat(log.losses()).isEmpty();
            broker.unmute();
        }
    }

    @Test
    void givesUpABrokerThatSendsNoHeartbeat() throws Exception {
        try (var broker = new FakeAmqp091Broker(1); var connection = connect(broker.port(), "?heartbeat=1")) {
            broker.mute();
            Await.until(() -> !log.losses().isEmpty(), () -> "the silence went unheard");
            assertThat(log.losses().getFirst().getMessage()).contains("heartbeat");
            assertThatThrownBy(() -> connection.declare(QUEUE)).message().contains("heartbeat");
        }
    }

    @Test
    void givesUpABrokerThatSendsNoFrames() throws Exception {
        try (var broker = new FakeAmqp091Broker(0); var connection = connect(broker.port(), "")) {
            broker.raw(new byte[] {1, 0, 0, 0, 0, 0, 0, 0, 0, 0});
            Await.until(() -> !log.losses().isEmpty(), () -> "it went unheard");
            assertThat(log.losses().getFirst().getMessage()).contains("end mark");
            connection.close();
        }
    }

    @Test
    void takesNoMessageOfALengthThatNobodyCouldHold() throws Exception {
        for (long length : new long[] {Long.MIN_VALUE, 600L << 20, 2_000_000_000L, 1L << 40}) {
            var log = new ConnectionLog();
            var deliveries = new Deliveries();
            try (var broker = new FakeAmqp091Broker(0); var connection = new Amqp091Driver().connect(new ConnectionSettings(
                "amqp091://127.0.0.1:" + broker.port(), null, null, null, Duration.ofSeconds(40)), log)) {
                connection.consumer(QUEUE, ConsumerSettings.of(its -> its.prefetch = 10), deliveries);
                broker.deliver(2, length, new byte[] {1});
                Await.until(() -> !log.losses().isEmpty(), () -> "it went unheard");
                assertThat(log.losses().getFirst().getMessage()).contains("announced").contains(Long.toUnsignedString(length));
                assertThat(deliveries.count()).isZero();
            }
        }
    }

    /** A length of 400 MiB is legal, but a body that may never arrive must not cause an allocation of that size. */
    @Test
    void makesRoomForWhatCameAndNotForWhatWasAnnounced() throws Exception {
        var deliveries = new Deliveries();
        // Threads inherit their group, which distinguishes the reader from those of tests that run concurrently.
        var group = new ThreadGroup("reading");
        try (var broker = new FakeAmqp091Broker(0); var connection = connectIn(group, broker.port())) {
            connection.consumer(QUEUE, ConsumerSettings.of(its -> its.prefetch = 10), deliveries);
            connection.consumer(QUEUE, ConsumerSettings.of(its -> its.prefetch = 10), deliveries);
            long before = allocatedBy(group);
            assertThat(before).isPositive();
            broker.deliver(2, 400L << 20, new byte[] {1});
            broker.deliver(3, 1, new byte[] {2});
            deliveries.await(1);
            assertThat(allocatedBy(group) - before).isLessThan(16L << 20);
        }
    }

    private Connection connectIn(ThreadGroup group, int port) throws Exception {
        var connecting = new FutureTask<>(() -> connect(port, ""));
        var thread = new Thread(group, connecting);
        thread.start();
        thread.join();
        return connecting.get();
    }

    /** Returns the number of bytes that the live threads of a group have allocated. */
    private static long allocatedBy(ThreadGroup group) {
        var beans = (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        var threads = new Thread[100];
        return Arrays.stream(threads, 0, group.enumerate(threads)).mapToLong(each -> beans.getThreadAllocatedBytes(each.threadId())).sum();
    }

    /** Another thread has taken over the bytes, and the connection ends before it has written them. */
    @Test
    void confirmsNothingThatAnotherThreadFailedToWrite() throws Exception {
        try (var broker = new FakeAmqp091Broker(0); var connection = connect(broker.port(), "?confirms=false&heartbeat=0")) {
            var producer = producer(connection);
            broker.stopReading();
            var body = new Payload(new byte[1 << 20]);
            int[] sent = {0};
            var sending = Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        producer.send(body, sent[0]);
                        sent[0]++;
                        producer.flush();
                    }
                } catch (Exception e) {
                    // the connection broke
                }
            });
            // A thread that is only not scheduled is not in state WAITING, and may already have written its last byte.
            Await.until(() -> ((Amqp091Connection) connection).out.writingFor() > 100_000_000
                && sending.getState() == Thread.State.WAITING, () -> "nothing stands still: it is " + sending.getState());
            broker.close();
            broker.cut();
            sending.join();
            Await.until(() -> !log.losses().isEmpty(), () -> "the loss went unheard");
            producer.close();
            // on a busy machine the socket buffers may accept more of the messages, but not the last one
            assertThat(sends.unknown()).containsKey(sent[0] - 1L);
            assertThat(sends.confirmed() + sends.unknown().size()).isEqualTo(sent[0]);
            assertThat(sends.failures()).isEmpty();
            assertThat(sends.violations()).isEmpty();
        }
    }

    /** Otherwise the backlog of the socket would grow until the heap is exhausted. */
    @Test
    void waitsWhenAnotherThreadHasVeryMuchToWrite() throws Exception {
        try (var broker = new FakeAmqp091Broker(0); var connection = connect(broker.port(), "?heartbeat=0")) {
            var first = producer(connection);
            var second = connection.producer(QUEUE, ProducerSettings.DEFAULT, new Sends());
            broker.stopReading();
            var body = new Payload(new byte[1 << 20]);
            var writing = sending(first, body);
            Await.until(() -> ((Amqp091Connection) connection).out.writingFor() > 100_000_000, () -> "nothing stands still");
            var waiting = sending(second, body);
            Await.until(() -> waiting.getState() == Thread.State.WAITING, () -> "it is " + waiting.getState());
            broker.close();
            broker.cut();
            writing.join();
            waiting.join();
        }
    }

    private static Thread sending(Producer producer, Payload body) {
        return Thread.ofPlatform().daemon().start(() -> {
            try {
                for (int token = 0; token < 60; token++) {
                    producer.send(body, token);
                }
            } catch (Exception e) {
                // the connection broke
            }
        });
    }

    @Test
    void endsARequestThatNobodyAnswers() throws Exception {
        try (var broker = new FakeAmqp091Broker(0);
                // the limit holds for connecting, too
                var connection = Retry.upTo(3, Exception.class, () -> connect(broker.port(), "", 5))) {
            broker.mute();
            assertThatThrownBy(() -> connection.declare(QUEUE)).message().contains("did not answer").contains("5000 ms");
        }
    }

    /** The broker would close the connection on receipt of a frame that is too large. */
    @ParameterizedTest
    @ValueSource(ints = {8_200, 100_000})
    void refusesHeadersThatMakeNoFrame(int length) throws Exception {
        try (var broker = new FakeAmqp091Broker(0); var connection = connect(broker.port(), "")) {
            var settings =
                ProducerSettings.of(its -> its.variants = List.of(new MessageVariant(null, -1, Map.of("h", "x".repeat(length)))));
            assertThatThrownBy(() -> connection.producer(QUEUE, settings, sends)).isInstanceOf(IllegalArgumentException.class)
                .message().contains("headers of a message").contains("8192 bytes").endsWith(".");
        }
    }

    @Test
    void cutsABodyIntoFramesThatTheBrokerTakes() throws Exception {
        try (var broker = new FakeAmqp091Broker(0); var connection = connect(broker.port(), "")) {
            var producer = producer(connection);
            producer.send(new Payload(new byte[20_000]), 0);
            producer.send(payload("small"), 1);
            producer.flush();
            broker.awaitPublished(2);
            broker.method(2, Method.BASIC_ACK, to -> to.putLong(2).put((byte) 1));
            sends.awaitConfirmed(2);
        }
    }

    @Test
    void namesAFailedCommitAndGoesNoFurtherOnItsChannel() throws Exception {
        try (var broker = new FakeAmqp091Broker(0); var connection = connect(broker.port(), "")) {
            var producer = connection.producer(QUEUE, ProducerSettings.of(its -> {
                its.transacted = true;
                its.maxPending = 10;
            }), sends);
            producer.send(payload("m"), 0);
            producer.flush();
            broker.awaitPublished(1);
            broker.method(2, Method.CHANNEL_CLOSE, to -> {
                to.putShort((short) 541);
                Fields.shortText(to, "INTERNAL_ERROR");
                to.putInt(0);
            });
            broker.awaitMethod(Method.CHANNEL_CLOSE_OK);
            assertThatThrownBy(producer::commit).message().contains("INTERNAL_ERROR");
            assertThat(sends.failures()).containsOnlyKeys(0L);
            assertThatThrownBy(() -> producer.send(payload("more"), 1)).message().contains("INTERNAL_ERROR");
            assertThat(sends.violations()).isEmpty();
        }
    }
}
