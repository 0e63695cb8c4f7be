package io.brokermeter.driver.stomp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Retry;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.failure.DriverException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rare behaviour of real brokers, simulated by a scripted one. */
@Tag("slow")
class StompScriptTest {

    private static final Destination QUEUE = new Destination(Destination.Kind.QUEUE, "q");

    private final ConnectionLog log = new ConnectionLog();
    private final BlockingQueue<String> frames = new LinkedBlockingQueue<>();
    /** The commands whose receipts the broker does not send. */
    private final Set<String> unanswered = ConcurrentHashMap.newKeySet();
    private volatile boolean endsWithTheCommit;
    /** The headers of the CONNECTED frame. */
    private volatile String greeting = "version:1.2\nserver:Script/1.0";
    private volatile Socket socket;
    private ServerSocket server;

    @BeforeEach
    void listen() throws Exception {
        server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        unanswered.add("SEND");
        Thread.ofVirtual().start(() -> {
            while (!server.isClosed()) {
                try (Socket accepted = server.accept()) {
                    socket = accepted;
                    serve(accepted);
                } catch (IOException e) {
                    // the connection has ended
                }
            }
        });
    }

    @AfterEach
    void close() throws Exception {
        server.close();
        if (socket != null) {
            socket.close();
        }
    }

    private void serve(Socket accepted) throws IOException {
        var in = accepted.getInputStream();
        var bytes = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0; next = in.read()) {
            if (next != 0) {
                bytes.write(next);
                continue;
            }
            String frame = bytes.toString(StandardCharsets.UTF_8).stripLeading();
            bytes.reset();
            frames.add(frame);
            String command = frame.substring(0, frame.indexOf('\n'));
            if (command.equals("CONNECT")) {
                write("CONNECTED\n" + greeting + "\n\n\0");
            } else if (frame.contains("\nreceipt:") && !unanswered.contains(command)) {
                write("RECEIPT\nreceipt-id:" + header(frame, "receipt") + "\n\n\0");
            }
            if (command.equals("COMMIT") && endsWithTheCommit) {
                return;
            }
        }
    }

    private synchronized void write(String frames) throws IOException {
        socket.getOutputStream().write(frames.getBytes(StandardCharsets.UTF_8));
    }

    private static String message(String id, String body) {
        return "MESSAGE\nsubscription:c0\nmessage-id:" + id + "\nack:" + id + "\ndestination:q\n\n" + body + "\0";
    }

    private static String header(String frame, String name) {
        return frame.lines().filter(line -> line.startsWith(name + ":")).findFirst().orElseThrow().substring(name.length() + 1);
    }

    private String frame(String command) throws Exception {
        while (true) {
            String frame = frames.poll(60, TimeUnit.SECONDS);
            assertThat(frame).as("the next " + command).isNotNull();
            if (frame.startsWith(command + "\n")) {
                return frame;
            }
        }
    }

    private Connection connect(int seconds) throws Exception {
        return connect(seconds, "other");
    }

    private Connection connect(int seconds, String kind) throws Exception {
        var settings = new ConnectionSettings("stomp://127.0.0.1:" + server.getLocalPort() + "?broker=" + kind, null, null, null,
            Duration.ofSeconds(seconds));
        // The limit of a test that waits until it expires is shorter than a stall of the machine.
        return Retry.upTo(5, DriverException.class, () -> new StompDriver().connect(settings, log));
    }

    @ParameterizedTest
    @CsvSource({"rabbitmq,prefetch-count", "activemq,activemq.prefetchSize"})
    void asksForAsManyMessagesAsABatchHas(String kind, String header) throws Exception {
        var connection = connect(60, kind);
        connection.consumer(QUEUE, ConsumerSettings.of(its -> {
            its.ackMode = AckMode.BATCH;
            its.batch = 3000;
        }), new Deliveries());
        assertThat(header(frame("SUBSCRIBE"), header)).isEqualTo("3000");
        connection.close();
    }

    /** A thousand messages of 1 MB are more than there is room for; a number that is given stays. */
    @ParameterizedTest
    @CsvSource({"'',16", "&default-prefetch=500,500"})
    void asksForSoManyBytesAtMost(String given, String expected) throws Exception {
        var connection = connect(60, "rabbitmq" + given);
        connection.consumer(QUEUE, ConsumerSettings.of(its -> its.messageBytes = 1_000_000), new Deliveries());
        assertThat(header(frame("SUBSCRIBE"), "prefetch-count")).isEqualTo(expected);
        connection.close();
    }

    /** The server header is optional. Artemis omits it for clients of version 1.0, and the version header as well. */
    @ParameterizedTest
    @CsvSource({"version:1.2,/queue/q", "version:1.1,/queue/q", "session:s,q"})
    void takesABrokerThatDoesNotNameItselfForArtemisOnlyWithVersionOne(String header, String address) throws Exception {
        greeting = header;
        var connection = connect(60, "auto");
        connection.consumer(QUEUE, ConsumerSettings.DEFAULT, new Deliveries());
        assertThat(header(frame("SUBSCRIBE"), "destination")).isEqualTo(address);
        connection.close();
    }

    /** The run would have no limit although its settings state one. */
    @Test
    void refusesAPrefetchWhichABrokerThatNobodyKnowsCannotBeAskedFor() throws Exception {
        var connection = connect(60, "auto");
        for (int prefetch : new int[] {0, 1, 10}) {
            assertThatThrownBy(() -> connection.consumer(QUEUE, ConsumerSettings.of(its -> its.prefetch = prefetch), new Deliveries()))
                .isInstanceOf(DriverException.class)
                .hasMessage("This broker may send ahead what it likes over STOMP, which has no word for a"
                    + " limit; leave out key 'consumers.prefetch', or say with the parameter broker which one it is.");
        }
        connection.close();
    }

    /** The broker sends the next message only when the previous one is acknowledged. */
    @Test
    void acknowledgesEachMessageOfABatchWhereArtemisMaySendNoneAhead() throws Exception {
        var connection = connect(60, "artemis&consumer-window-size=0");
        connection.consumer(QUEUE, ConsumerSettings.of(its -> {
            its.ackMode = AckMode.BATCH;
            its.batch = 10;
        }), new Deliveries());
        assertThat(header(frame("SUBSCRIBE"), "consumer-window-size")).isEqualTo("0");
        for (String id : new String[] {"m0", "m1"}) {
            write(message(id, "x"));
            assertThat(header(frame("ACK"), "id")).isEqualTo(id);
        }
        connection.close();
    }

    @Test
    void takesALateReceiptForNoMessageOfALaterProducer() throws Exception {
        var connection = connect(5);
        var first = new Sends();
        var producer = connection.producer(QUEUE, ProducerSettings.DEFAULT, first);
        producer.send(new Payload(new byte[] {1}), 0);
        producer.close();
        assertThat(first.unknown()).containsOnlyKeys(0L);
        String late = header(frame("SEND"), "receipt");
        var second = new Sends();
        var other = connection.producer(QUEUE, ProducerSettings.DEFAULT, second);
        other.send(new Payload(new byte[] {1}), 0);
        other.send(new Payload(new byte[] {1}), 1);
        other.flush();
        frame("SEND");
        String last = header(frame("SEND"), "receipt");
        write("RECEIPT\nreceipt-id:" + late + "\n\n\0RECEIPT\nreceipt-id:" + last + "\n\n\0");
        second.awaitReported(1);
        other.close();
        assertThat(second.confirmed()).isEqualTo(1);
        assertThat(second.unknown()).containsOnlyKeys(0L);
        connection.close();
    }

    /** The reader may notice the end of the connection before the committing thread has resumed. */
    @Test
    void confirmsATransactionWhoseCommitIsTheLastThatTheBrokerAnswers() throws Exception {
        endsWithTheCommit = true;
        for (int round = 0; round < 100; round++) {
            var sends = new Sends();
            var connection = connect(60);
            var producer = connection.producer(QUEUE, ProducerSettings.of(its -> its.transacted = true), sends);
            producer.send(new Payload(new byte[] {1}), 0);
            producer.commit();
            producer.close();
            assertThat(sends.confirmed()).as("confirmed sends of round " + round + ", unknown " + sends.unknown()).isEqualTo(1);
            assertThat(sends.violations()).isEmpty();
            connection.close();
        }
    }

    /** In mode AUTO all acknowledgements have been sent when the consumer closes; without a reply it is unknown whether they arrived. */
    @Test
    void saysThatNobodyKnowsOfTheAcknowledgementsWhenTheBrokerIsSilent() throws Exception {
        unanswered.add("UNSUBSCRIBE");
        var connection = connect(5);
        var deliveries = new Deliveries();
        var consumer = connection.consumer(QUEUE, ConsumerSettings.DEFAULT, deliveries);
        frame("SUBSCRIBE");
        write(message("m", "x"));
        deliveries.await(1);
        frame("ACK");
        assertThatThrownBy(consumer::close).hasMessageContaining("last acknowledgements");
        assertThat(log.losses()).isEmpty();
        connection.close();
    }

    @Test
    void saysThatADeliveryDidNotEndBeforeTheConsumerClosed() throws Exception {
        for (AckMode mode : new AckMode[] {AckMode.AUTO, AckMode.BATCH}) {
            var connection = connect(5);
            var ends = new CountDownLatch(1);
            var began = new CountDownLatch(1);
            var consumer = connection.consumer(QUEUE, ConsumerSettings.of(its -> {
                its.ackMode = mode;
                its.batch = 10;
                its.mayBlock = true;
            }), new Deliveries(delivery -> {
                began.countDown();
                Await.until(() -> ends.getCount() == 0, () -> "the test goes on");
                return Settlement.ACCEPT;
            }));
            frame("SUBSCRIBE");
            write(message("m", "x"));
            assertThat(began.await(60, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(consumer::close).hasMessageContaining("did not end");
            ends.countDown();
            connection.close();
        }
    }

    /** Each transaction begins once, and one acknowledgement of its last message covers the others. */
    @Test
    void commitsOneCumulativeAcknowledgementWithTheTransactionThatHasBegun() throws Exception {
        var connection = connect(60, "other&ack=client");
        var deliveries = new Deliveries();
        connection.consumer(QUEUE, ConsumerSettings.of(its -> {
            its.ackMode = AckMode.TRANSACTED;
            its.batch = 3;
        }), deliveries);
        frame("SUBSCRIBE");
        for (int i = 0; i < 6; i++) {
            write(message("m" + i, "x"));
        }
        for (String last : new String[] {"m2", "m5"}) {
            String transaction = header(frame("BEGIN"), "transaction");
            assertThat(frames.poll(60, TimeUnit.SECONDS)).startsWith("ACK\n").contains("id:" + last + "\n", "transaction:" + transaction);
            assertThat(frames.poll(60, TimeUnit.SECONDS)).startsWith("COMMIT\n").contains("transaction:" + transaction + "\n");
        }
        deliveries.await(6);
        assertThat(deliveries.failures()).isEmpty();
        connection.close();
    }

    /**
     * More data precedes the answer than the reader normally buffers for a consumer, and the consumer takes no message until its commit is
     * answered.
     */
    @Test
    void readsTheAnswerToACommitBehindAllThatWasSentAhead() throws Exception {
        unanswered.add("COMMIT");
        var connection = connect(60);
        var deliveries = new Deliveries();
        connection.consumer(QUEUE, ConsumerSettings.of(its -> its.ackMode = AckMode.TRANSACTED), deliveries);
        frame("SUBSCRIBE");
        String message = message("m", "x".repeat(1 << 20));
        for (int i = 0; i < 75; i++) {
            write(message);
        }
        String first = frame("COMMIT");
        unanswered.clear();
        write("RECEIPT\nreceipt-id:" + header(first, "receipt") + "\n\n\0");
        deliveries.await(75);
        assertThat(deliveries.failures()).isEmpty();
        connection.close();
    }
}
