package io.brokermeter.driver.amqp.direct;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;

import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parts of messages for frames. */
class AmqpMessageTemplateTest {

    /** Sizes of bodies on both sides of the border of the short form, and parts that end within and behind the sections. */
    @ParameterizedTest
    @CsvSource({"0, 1", "0, 7", "255, 1", "256, 1", "255, 100", "256, 100", "1000, 77", "70000, 65536"})
    void thePartsOfAMessageAreThoseOfTheWhole(int bodySize, int partSize) {
        byte[] body = new byte[bodySize];
        new Random(bodySize).nextBytes(body);
        Payload payload = new Payload(body);
        AmqpMessageTemplate template =
            new AmqpMessageTemplate(Destination.parse("queue://Q"), "Q", ProducerSettings.of(its -> its.persistent = true));
        int size = template.size(payload);
        ByteBuffer whole = ByteBuffer.allocate(size);
        assertThat(template.writeHead(whole, payload, 0, size)).isEqualTo(template.headSize(payload));
        whole.put(body);
        assertThat(whole.hasRemaining()).isFalse();
        int bodyHeader = bodySize < 256 ? 2 : 5;
        assertThat(whole.get(size - bodySize - bodyHeader)).isEqualTo((byte) (bodySize < 256 ? 0xa0 : 0xb0));
        assertThat(bodySize < 256 ? whole.get(size - bodySize - 1) & 0xff : whole.getInt(size - bodySize - 4)).isEqualTo(bodySize);
        assertThat(whole.slice(size - bodySize, bodySize)).isEqualTo(ByteBuffer.wrap(body));

        ByteBuffer parts = ByteBuffer.allocate(size);
        for (int at = 0; at < size; at += partSize) {
            int length = Math.min(partSize, size - at);
            int ofHead = template.writeHead(parts, payload, at, length);
            parts.put(body, Math.max(0, at - template.headSize(payload)), length - ofHead);
        }
        assertThat(parts.flip()).isEqualTo(whole.flip());
    }
}
