package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import io.brokermeter.engine.run.receive.NumberSum;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Known answers for the number in a message that a summarizer adds up. */
class SummedNumberTest {

    @ParameterizedTest
    @CsvSource({
        "file=a bytes=249217 streams=4, 249217",
        "bytes=3, 3",
        "bybytes=40, 40",
        "bytes=, 0",
        "bytes=x1, 0",
        "no number here, 0",
        "'', 0",
        "bytes=12 bytes=30, 12"})
    void itFollowsTheText(String line, long number) {
        byte[] text = line.getBytes(StandardCharsets.UTF_8);
        ByteBuffer framed = ByteBuffer.allocate(text.length + 7).position(3).put(text).position(3).limit(3 + text.length);

        assertThat(NumberSum.numberIn(framed, "bytes=".getBytes(StandardCharsets.UTF_8))).isEqualTo(number);
        assertThat(framed.position()).isEqualTo(3);
    }
}
