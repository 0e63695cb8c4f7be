package io.brokermeter.reports.document;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LimitDocumentTest {

    /** The page, the answer to an agent and the exit status of the command say the same. */
    @ParameterizedTest
    @CsvSource(nullValues = "-", value = {"clear, true", "trials-used, true", "-, true", "not-valid, false"})
    void aLimitIsNotFoundWhereTheGeneratorEndedTheSearch(@Nullable String end, boolean found) {
        String word = end == null ? "null" : "\"" + end + "\"";
        assertThat(
            DocumentJson.read(LimitDocument.class, "{\"limit\":{\"estimate\":2,\"low\":1,\"high\":3},\"end\":" + word + "}").isFound())
            .isEqualTo(found);
        assertThat(DocumentJson.read(LimitDocument.class, "{\"limit\":null,\"end\":" + word + "}").isFound()).isFalse();
    }
}
