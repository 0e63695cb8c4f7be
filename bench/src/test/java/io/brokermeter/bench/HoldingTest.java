package io.brokermeter.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.brokermeter.driver.loopback.LoopbackDriver;
import org.junit.jupiter.api.Test;

class HoldingTest {

    @Test
    void aTimeIsAtMostFiftyMicrosecondsOrATwentiethOfTheSendAckTime() {
        assertThat(new Holding.Row("CORE", 1, 1, 50, 70).isKept()).isTrue();
        assertThat(new Holding.Row("CORE", 1, 1, 51, 70).isKept()).isFalse();
        assertThat(new Holding.Row("CORE", 100, 1, 440, 8_800).isKept()).isTrue();
        assertThat(new Holding.Row("CORE", 100, 1, 441, 8_800).isKept()).isFalse();
        assertThat(new Holding.Row("CORE", 100, 12_345, 396, 8_800).text())
            .isEqualTo("| CORE | 100 | 12,345 | 8800.0 | 396.0 | 440.0 | yes |");
    }

    /** The broker confirms each message within its send, so only the engine determines when the flush after it comes. */
    @Test
    void eachMessageOfTheMeasuredPartHasATime() throws Exception {
        Holding.Row row;
        int tries = 0;
        do {
            row = Holding.measure(new LoopbackDriver(), "loopback://holding", 3, 100, 100);
            // If the machine stalls for the 200 ms of the load, nothing is sent, or nothing in the measured part.
        } while ((row.ack() == 0 || row.messages() == 0) && ++tries < 5);

        assertThat(row.protocol()).isEqualTo("LOOPBACK");
        assertThat(row.messages()).isPositive();
        assertThat(row.held()).isPositive();
        assertThat(row.ack()).isPositive();
    }
}
