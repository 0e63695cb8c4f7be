package io.brokermeter.driver.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 240, unit = TimeUnit.SECONDS)
class InTurnTest {

    @Test
    void refusesAnAnswerToNoQuestion() throws Exception {
        var turns = new InTurn<String>();
        turns.add("one");
        assertThat(turns.next()).isEqualTo("one");
        assertThat(turns.isEmpty()).isTrue();
        assertThatThrownBy(turns::next).isInstanceOf(IOException.class).hasMessageContaining("no question");
    }

    /** The ring grows again and again while the reader takes from it. */
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
            reading.get(30, TimeUnit.SECONDS);
            assertThat(turns.isEmpty()).isTrue();
        }
    }

    private static Wire saying(String text) {
        var all = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
        return new Source() {

            /** One byte at a time. */
            @Override
            public int read(ByteBuffer into) {
                if (!all.hasRemaining()) {
                    return -1;
                }
                into.put(all.get());
                return 1;
            }
        };
    }

    @Test
    void cutsLinesWithAndWithoutABody() throws Exception {
        var in = new LineBuffer(100, "RESERVED", "OK");
        var wire = saying("INSERTED 4711\r\nRESERVED 12 4\r\na\r\nb\r\nOK 0\r\n\r\nRESERVEDLY 3\r\n");
        in.await(wire);
        assertThat(in.is("INSERTED")).isTrue();
        assertThat(in.is("INSERT")).isFalse();
        assertThat(in.number("INSERTED")).isEqualTo(4711);
        in.await(wire);
        assertThat(in.number("RESERVED")).isEqualTo(12);
        assertThat(in.text()).isEqualTo("RESERVED 12 4\na\r\nb");
        assertThat(in.body().remaining()).isEqualTo(4);
        in.await(wire);
        assertThat(in.text()).isEqualTo("OK 0");
        in.await(wire);
        assertThat(in.is("RESERVED")).isFalse();
        assertThat(in.text()).isEqualTo("RESERVEDLY 3");
    }

    @Test
    void refusesWhatIsNoLineAndABodyThatIsTooLarge() {
        assertThatThrownBy(() -> new LineBuffer(100).await(saying("one line\n"))).isInstanceOf(IOException.class)
            .hasMessageContaining("no line");
        assertThatThrownBy(() -> new LineBuffer(100).await(saying("x".repeat(3000)))).isInstanceOf(IOException.class)
            .hasMessageContaining("no line");
        assertThatThrownBy(() -> new LineBuffer(100, "OK").await(saying("OK 101\r\n"))).isInstanceOf(IOException.class)
            .hasMessageContaining("101 bytes");
        assertThatThrownBy(() -> new LineBuffer(100, "OK").await(saying("OK 99999999999999999999999\r\n")))
            .isInstanceOf(IOException.class).hasMessageContaining("announced");
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
