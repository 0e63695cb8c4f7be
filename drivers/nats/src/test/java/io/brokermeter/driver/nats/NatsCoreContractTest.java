package io.brokermeter.driver.nats;

import static io.brokermeter.contract.BrokerTrait.KEEPS_UNTIL_ACKNOWLEDGED;
import static io.brokermeter.contract.BrokerTrait.QUEUES_KEEP_MESSAGES;
import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.plain;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.ConnectionListener;
import org.junit.jupiter.api.Test;

/** With core NATS, which stores no messages. */
class NatsCoreContractTest extends NatsContract {

    NatsCoreContractTest() {
        super(new NatsBroker().parameter("mode", "core")
            .without(QUEUES_KEEP_MESSAGES, KEEPS_UNTIL_ACKNOWLEDGED));
    }

    /** The client's thread writes later than send and flush return, and the client's own close drops what it has not written. */
    @Test
    void aCloseWritesWhatTheClientHasQueued() throws Exception {
        var queue = queue();
        var inbox = inbox(queue);
        var connection = connect();
        var producer = connection.producer(queue, plain(), new Sends());
        var large = payload("m".repeat(50_000));
        for (int i = 0; i < 1_000; i++) {
            producer.send(large, i);
        }
        connection.close();
        inbox.await(1_000);
    }

    @Test
    void aCloseSaysWhenMessagesThatCountAsSentMayNotHaveBeenWritten() throws Exception {
        var proxy = proxy();
        var log = new ConnectionLog();
        var connection = connect(settings(proxy.host(), proxy.port()), log);
        var producer = connection.producer(queue(), plain(), new Sends());
        proxy.hold();
        producer.send(payload("held back"), 0);
        connection.close();
        assertThat(log.notices()).singleElement().asString().contains("may not have been written");
    }

    /** From another thread it would come too late where the machine stood still. */
    @Test
    void theNoticeIsGivenByTheThreadThatCloses() throws Exception {
        var proxy = proxy();
        var threads = new ArrayList<Thread>();
        var connection = driver().connect(settings(proxy.host(), proxy.port()), new ConnectionListener() {

            @Override
            public void lost(Throwable cause) {}

            @Override
            public void notice(String sentence) {
                threads.add(Thread.currentThread());
            }
        });
        var producer = connection.producer(queue(), plain(), new Sends());
        proxy.hold();
        producer.send(payload("held back"), 0);
        connection.close();
        assertThat(List.copyOf(threads)).containsExactly(Thread.currentThread());
    }
}
