package io.brokermeter.spi;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;

import org.junit.jupiter.api.Test;

class MessageVariantTest {

    /** A consumer would take a header of this name for the envelope of the message. */
    @Test
    void leavesTheNameOfTheEnvelopeAlone() {
        assertThatThrownBy(() -> new MessageVariant(null, -1, Map.of("colour", "red", "brokermeter", "y")))
            .isInstanceOf(IllegalArgumentException.class).message().contains("'brokermeter'").contains("message.headers").endsWith(".");
    }
}
