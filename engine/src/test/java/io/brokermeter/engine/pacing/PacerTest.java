package io.brokermeter.engine.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import io.brokermeter.engine.scenario.Pacing;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PacerTest {

    /**
     * Guards against a parking thread that is taken for a spinning one: its use of a whole processor, and a timer slack that the kernel
     * refuses, would not be reported.
     */
    @ParameterizedTest
    @CsvSource({"AUTO, 1, 2, false", "AUTO, 1, 4, true", "AUTO, 2, 4, false", "PARK, 1, 64, false", "HYBRID, 1, 1, true",
        "SPIN, 1, 1, true"})
    void spinsWithProcessorsToSpareOrWhenItIsAskedTo(Pacing pacing, int senders, int processors, boolean spins) {
        assertThat(Pacer.of(pacing, senders, processors, Clock.SYSTEM).spins()).isEqualTo(spins);
    }
}
