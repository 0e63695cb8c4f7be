package io.brokermeter.driver.amqp091.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;

import io.brokermeter.contract.Sends;
import io.brokermeter.driver.wire.TokenWindow;
import org.junit.jupiter.api.Test;

class PublisherConfirmsTest {

    private final Sends sends = new Sends();
    private final TokenWindow window = new TokenWindow(sends, 10);
    private final PublisherConfirms confirms = new PublisherConfirms(window);
    private long token;

    private void add(int count) {
        for (int i = 0; i < count; i++) {
            window.add(token++);
        }
    }

    @Test
    void countsFromOneAndTakesZeroForAll() {
        add(10);
        assertThat(confirms.next()).isEqualTo(11);
        confirms.confirm(2, true);
        confirms.refuse(4, false, new IOException("nack"));
        confirms.refuse(6, true, new IOException("nack"));
        confirms.confirm(8, false);
        confirms.confirm(0, true);
        window.report();
        assertThat(sends.confirmed()).isEqualTo(6);
        assertThat(sends.failures()).containsOnlyKeys(2L, 3L, 4L, 5L);
        assertThat(window.count()).isZero();
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void countsFromOneAgainOnANewChannel() {
        add(3);
        confirms.confirm(1, false);
        confirms.restart(new IOException("broke"));
        assertThat(confirms.next()).isEqualTo(1);
        add(2);
        confirms.confirm(2, true);
        window.report();
        assertThat(sends.confirmed()).isEqualTo(3);
        assertThat(sends.unknown()).containsOnlyKeys(1L, 2L);
        assertThat(sends.failures()).isEmpty();
        assertThat(sends.violations()).isEmpty();
    }
}
