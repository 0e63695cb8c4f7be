package io.brokermeter.driver.amqp.direct;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Open;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Effects of URL parameters on the wire. */
class DirectUrlTest {

    private static FakePeer peer() throws Exception {
        Open open = new Open();
        open.setContainerId("peer"); // no idle timeout: heartbeats would appear between the frames
        return new FakePeer(open);
    }

    private static Connection connect(FakePeer peer, String query) throws Exception {
        return DirectPath.connect(new ConnectionSettings(peer.url() + query, null, null, null, Duration.ofSeconds(40)),
            new ConnectionLog());
    }

    /** With a prefetch of 0, qpid-jms requests one message at a time as well. */
    @Test
    void givesCreditForOneMessageWhereNoneIsToBeSentAhead() throws Exception {
        try (var peer = peer(); var connection = connect(peer, "?jms.prefetchPolicy.all=0")) {
            var deliveries = new Deliveries();
            connection.consumer(new Destination(Destination.Kind.QUEUE, "q"), ConsumerSettings.DEFAULT, deliveries);
            assertThat(((Flow) peer.next()).getLinkCredit().intValue()).isEqualTo(1);
            Transfer transfer = new Transfer();
            transfer.setHandle(UnsignedInteger.ZERO);
            transfer.setDeliveryId(UnsignedInteger.ZERO);
            transfer.setDeliveryTag(new org.apache.qpid.proton.amqp.Binary(new byte[1]));
            peer.write(0, 0, transfer);
            assertThat(((Disposition) peer.next()).getState()).isInstanceOf(Accepted.class);
            var next = (Flow) peer.next();
            assertThat(next.getDeliveryCount().intValue()).isEqualTo(1);
            assertThat(next.getLinkCredit().intValue()).isEqualTo(1);
            assertThat(deliveries.count()).isEqualTo(1);
        }
    }

    /** These values mean no limit. Sent to the broker, they would request a heartbeat every millisecond. */
    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "-60000"})
    void asksForNoSignOfLifeWhereAnySilenceWillDo(String millis) throws Exception {
        try (var peer = peer(); var connection = connect(peer, "?amqp.idleTimeout=" + millis)) {
            assertThat(connection.client()).contains("brokermeter");
            assertThat(peer.opened().getIdleTimeOut()).isNull();
        }
    }
}
