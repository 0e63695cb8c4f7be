package io.brokermeter.driver.amqp.direct;

import java.time.Duration;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.transport.Open;
import org.junit.jupiter.api.Test;

/** Messages that wait for a socket from which the peer does not read. */
class SendBacklogTest {

    private static final Destination QUEUE = new Destination(Destination.Kind.QUEUE, "q");
    private static final int MESSAGES = 60;

    /** Otherwise the backlog of the socket would grow until the heap is exhausted. */
    @Test
    void waitsWhenAnotherThreadHasVeryMuchToWrite() throws Exception {
        var open = new Open();
        open.setContainerId("peer");
        open.setMaxFrameSize(UnsignedInteger.valueOf(64 * 1024));
        try (var peer = new FakePeer(open);
                var connection =
                    DirectPath.connect(new ConnectionSettings(peer.url(), null, null, null, Duration.ofSeconds(40)), new ConnectionLog())) {
            var first = producer(peer, connection, 0);
            var second = producer(peer, connection, 1);
            peer.stopReading();
            var writing = sending(first);
            Await.until(() -> first.stallReason().contains("does not read"), () -> "nothing stands still");
            var waiting = sending(second);
            Await.until(() -> waiting.getState() == Thread.State.WAITING, () -> "the sender is " + waiting.getState());
            peer.close();
            writing.join();
            waiting.join();
        }
    }

    /** Creates a producer with a credit of 1000 messages. */
    private static Producer producer(FakePeer peer, Connection connection, int channel) throws Exception {
        var producer = connection.producer(QUEUE, ProducerSettings.of(its -> its.maxPending = 1000), new Sends());
        peer.grantOn(channel, 1000, 0, 0, 1_000_000);
        Await.until(() -> producer.stallReason().isEmpty(), producer::stallReason);
        return producer;
    }

    private static Thread sending(Producer producer) {
        var body = new Payload(new byte[1 << 20]);
        return Thread.ofPlatform().daemon().start(() -> {
            try {
                for (int token = 0; token < MESSAGES; token++) {
                    producer.send(body, token);
                }
            } catch (Exception e) {
                // the connection broke
            }
        });
    }
}
