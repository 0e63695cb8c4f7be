package io.brokermeter.driver.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

class LineBufferTest {

    /** Returns a wire whose peer sends a text one byte at a time. */
    private static Wire saying(String text) {
        return Source.pieces(text.getBytes(StandardCharsets.US_ASCII), 1, new Random(1));
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
    void takesALineOfTheLongestKindAndAnEmptyOne() throws Exception {
        var in = new LineBuffer(100, "OK");
        String longest = "x".repeat(1023);
        var wire = saying(longest + "\r\n\r\nOK\r\n\r\n");
        in.await(wire);
        assertThat(in.text()).isEqualTo(longest);
        in.await(wire);
        assertThat(in.text()).isEmpty();
        assertThat(in.is("OK")).isFalse();
        in.await(wire);
        assertThat(in.is("OK")).as("a body without a length is empty").isTrue();
        assertThat(in.body().remaining()).isZero();
        assertThatThrownBy(() -> in.await(wire)).isInstanceOf(EOFException.class);
    }

    /** Bodies of any bytes and any size up to the maximum, received in pieces of any size, between lines without a body. */
    @Test
    void cutsAnyBodiesOutOfPiecesOfAnySize() throws Exception {
        int largest = 200_000;
        for (int seed = 0; seed < 20; seed++) {
            var random = new Random(seed);
            List<byte[]> bodies = new ArrayList<>();
            var bytes = new ByteArrayOutputStream();
            for (int i = 0; i < 200; i++) {
                byte[] body = new byte[i == 7 ? largest : random.nextInt(random.nextInt(50) == 0 ? largest : 200)];
                for (int at = 0; at < body.length; at++) {
                    body[at] = (byte) (random.nextInt(3) == 0 ? "\r\nO".charAt(random.nextInt(3)) : random.nextInt());
                }
                bodies.add(body);
                bytes.writeBytes(("DONE " + i + "\r\nOK " + i + " " + body.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
                bytes.writeBytes(body);
                bytes.writeBytes(new byte[] {'\r', '\n'});
            }
            var in = new LineBuffer(largest, "FOUND", "OK");
            var wire = Source.pieces(bytes.toByteArray(), 1 + random.nextInt(100_000), random);
            for (int i = 0; i < bodies.size(); i++) {
                in.await(wire);
                assertThat(in.is("DONE")).isTrue();
                assertThat(in.number("DONE")).isEqualTo(i);
                assertThat(in.body().remaining()).isZero();
                in.await(wire);
                assertThat(in.number("OK")).isEqualTo(i);
                byte[] body = new byte[in.body().remaining()];
                in.body().get(body);
                assertThat(body).isEqualTo(bodies.get(i));
            }
            assertThatThrownBy(() -> in.await(wire)).isInstanceOf(EOFException.class);
        }
    }
}
