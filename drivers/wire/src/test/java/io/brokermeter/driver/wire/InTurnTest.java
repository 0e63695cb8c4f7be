package io.brokermeter.driver.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

class InTurnTest {

    @Test
    void refusesAnAnswerToNoQuestion() throws Exception {
        var turns = new InTurn<String>();
        turns.add("one");
        assertThat(turns.next()).isEqualTo("one");
        assertThat(turns.isEmpty()).isTrue();
        assertThatThrownBy(turns::next).isInstanceOf(IOException.class).hasMessageContaining("no question");
    }

    /** The ring grows repeatedly while the reader takes elements from it. */
    @Test
    void keepsTheOrderWhileItGrows() throws Exception {
        for (int round = 0; round < 200; round++) {
            var turns = new InTurn<Integer>();
            int count = 5000;
            var reading = CompletableFuture.runAsync(() -> {
                try {
                    for (int i = 0; i < count; i++) {
                        while (turns.isEmpty()) {
                            Thread.onSpinWait();
                        }
                        assertThat(turns.next()).isEqualTo(i);
                    }
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            for (int i = 0; i < count; i++) {
                turns.add(i);
            }
            reading.get(120, TimeUnit.SECONDS);
            assertThat(turns.isEmpty()).isTrue();
        }
    }

    @Test
    void writesDecimalNumbers() {
        for (long number : new long[] {0, 9, 10, 65_535, 1L << 32, Long.MAX_VALUE}) {
            var out = ByteBuffer.allocateDirect(30).put((byte) '<');
            WriteBuffer.decimal(out, number).put((byte) '>').flip();
            assertThat(StandardCharsets.US_ASCII.decode(out).toString()).isEqualTo("<" + number + ">");
        }
    }
}
