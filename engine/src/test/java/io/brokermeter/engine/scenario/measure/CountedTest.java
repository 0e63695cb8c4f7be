package io.brokermeter.engine.scenario.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CountedTest {

    @Test
    void oneThingIsInTheSingular() {
        assertThat(Counted.of(1, "message")).isEqualTo("1 message");
        assertThat(Counted.are(1, "send")).isEqualTo("1 send is");
        assertThat(Counted.were(1, "message")).isEqualTo("1 message was");
        assertThat(Counted.word(1, "it", "they")).isEqualTo("it");
    }

    @Test
    void anyOtherNumberOfThemIsInThePlural() {
        assertThat(Counted.of(0, "message")).isEqualTo("0 messages");
        assertThat(Counted.of(1_200, "message")).isEqualTo("1,200 messages");
        assertThat(Counted.are(2, "send")).isEqualTo("2 sends are");
        assertThat(Counted.were(1_001, "message")).isEqualTo("1,001 messages were");
        assertThat(Counted.word(0, "it", "they")).isEqualTo("they");
    }
}
