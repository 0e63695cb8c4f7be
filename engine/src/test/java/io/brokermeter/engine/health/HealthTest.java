package io.brokermeter.engine.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;

/** What is known of several processes together. */
class HealthTest {

    @Test
    void whatOneProcessDoesNotKnowIsNotKnownOfAll() {
        Health known = Health.of(its -> {
            its.cpuSeconds = 2;
            its.residentBytes = 1_000;
        });
        Health both = Health.sum(List.of(known, known), 4);
        assertThat(both.cpuSeconds()).isEqualTo(4);
        assertThat(both.cpuMicrosPerMessage()).isEqualTo(1e6);
        assertThat(both.residentBytes()).isEqualTo(2_000);

        Health partly = Health.sum(List.of(known, Health.UNKNOWN, Health.UNKNOWN), 4);
        assertThat(partly.cpuSeconds()).isEqualTo(-1);
        assertThat(partly.cpuMicrosPerMessage()).isNaN();
        assertThat(partly.residentBytes()).isEqualTo(-1);
    }
}
