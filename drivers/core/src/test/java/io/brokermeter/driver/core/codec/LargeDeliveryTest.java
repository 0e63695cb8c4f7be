package io.brokermeter.driver.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;

import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LargeDeliveryTest {

    private static final int PIECE = 100 << 10;

    private final IncomingCoreMessage headers = new IncomingCoreMessage();

    LargeDeliveryTest() {
        var template =
            new CoreMessageTemplate(new Destination(Destination.Kind.QUEUE, "q"), "c",
                ProducerSettings.of(its -> its.envelopeProperty = false));
        ByteBuffer encoded = ByteBuffer.allocate(1000);
        template.writeHeaders(encoded, new Payload(new byte[0]));
        headers.readHeaders(encoded.flip());
    }

    private static byte[] body(int length, int fill) {
        byte[] body = new byte[length];
        Arrays.fill(body, (byte) fill);
        return body;
    }

    private ByteBuffer receive(LargeDelivery delivery, byte[] body, long announced, boolean isTaken) {
        delivery.begin(headers, announced, false);
        for (int at = 0; at < body.length; at += PIECE) {
            delivery.add(ByteBuffer.wrap(body, at, Math.min(PIECE, body.length - at)));
        }
        return delivery.end(isTaken);
    }

    /** A lying announcement costs a megabyte, and a true one no more than the body from the second message on. */
    @ParameterizedTest
    @CsvSource({"10485760, 10485760", "10485760, 0", "300000, 4000000000", "300000, 300000", "17000000, 17000000"})
    void holdsBodiesOfAnySizeWhateverIsAnnounced(int length, long announced) {
        var delivery = new LargeDelivery();
        for (int i = 1; i <= 3; i++) {
            var body = receive(delivery, body(length, i), announced, i == 3);
            assertThat(body).isEqualTo(ByteBuffer.wrap(body(length, i)));
            assertThat(body.capacity()).isLessThanOrEqualTo(announced == length ? length : Math.max(2 * length, 1 << 20));
        }
    }

    @Test
    void receivesIntoTheSameRoomUnlessItWasTaken() {
        var delivery = new LargeDelivery();
        var first = receive(delivery, body(10 << 20, 1), 10 << 20, false);
        var second = receive(delivery, body(10 << 20, 2), 10 << 20, true);
        assertThat(second.array()).isSameAs(first.array());
        var third = receive(delivery, body(5 << 20, 3), 5 << 20, false);
        assertThat(third.array()).isNotSameAs(second.array()).hasSize(5 << 20);
        assertThat(second).isEqualTo(ByteBuffer.wrap(body(10 << 20, 2)));
    }
}
