package io.brokermeter.driver.amqp091.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConsumerSettings;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrefetchTest {

    /** A thousand messages of 1 MB are more than the client has room for; a number that is given stays, and a batch gets full. */
    @ParameterizedTest
    @CsvSource({"-1, 1, 0, 1000", "-1, 1, 1000, 1000", "-1, 1, 1000000, 16", "-1, 50, 1000000, 50", "300, 1, 1000000, 300",
        "0, 1, 1000000, 0"})
    void asksForSoManyBytesAtMost(int given, int batch, int bytes, int expected) throws Exception {
        assertThat(Prefetch.of(ConsumerSettings.of(its -> {
            its.prefetch = given;
            its.ackMode = batch > 1 ? AckMode.BATCH : AckMode.AUTO;
            its.batch = batch;
            its.messageBytes = bytes;
        }))).isEqualTo(expected);
    }
}
