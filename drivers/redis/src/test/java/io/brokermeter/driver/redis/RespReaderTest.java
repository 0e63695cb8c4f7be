package io.brokermeter.driver.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

import io.brokermeter.driver.wire.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RespReaderTest {

    private static final String BODY = "a\r\n$7\r\nb".repeat(3000);
    private static final String READ = "*1\r\n*2\r\n$1\r\nQ\r\n*2\r\n"
        + "*2\r\n$15\r\n1700000000000-0\r\n*4\r\n$1\r\nb\r\n$" + BODY.length() + "\r\n" + BODY + "\r\n$1\r\nh\r\n$0\r\n\r\n"
        + "*2\r\n$15\r\n1700000000000-1\r\n*-1\r\n"
        + "-ERR no\r\n:-42\r\n$-1\r\n";

    /** A wire from which a text comes in pieces of at most so many bytes. */
    private static Wire wire(String text, int piece) {
        ByteBuffer left = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
        return new Wire() {

            @Override
            public int read(ByteBuffer into) {
                int count = Math.min(Math.min(piece, into.remaining()), left.remaining());
                for (int i = 0; i < count; i++) {
                    into.put(left.get());
                }
                return count == 0 ? -1 : count;
            }

            @Override
            public void write(ByteBuffer from) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void end() {}

            @Override
            public void close() {}
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 100, 4096, 1 << 20})
    void findsTheSameElementsInPiecesOfAnySize(int piece) throws Exception {
        var wire = wire(READ, piece);
        var reader = new RespReader();
        reader.whole(false);
        for (int elements : new int[] {1, 2}) {
            reader.await(wire);
            assertThat(reader.isList()).isTrue();
            assertThat(reader.number()).isEqualTo(elements);
        }
        reader.await(wire);
        assertThat(reader.text()).isEqualTo("Q");
        reader.await(wire);
        assertThat(reader.number()).isEqualTo(2);
        reader.whole(true);
        reader.await(wire);
        assertThat(reader.number()).isEqualTo(2);
        for (String text : List.of("1700000000000-0", "", "b", BODY, "h", "")) {
            reader.read();
            assertThat(reader.isList()).isEqualTo(reader.number() == 4);
            if (reader.isText()) {
                assertThat(reader.text()).isEqualTo(text);
            }
        }
        reader.await(wire);
        assertThat(((List<?>) reader.value()).getLast()).isNull();
        reader.await(wire);
        assertThat(reader.isError()).isTrue();
        assertThat(reader.error()).hasMessage("ERR no");
        reader.await(wire);
        assertThat(reader.value()).isEqualTo(-42L);
        reader.await(wire);
        assertThat(reader.isText()).isFalse();
        assertThat(reader.value()).isNull();
        assertThatThrownBy(() -> reader.await(wire)).isInstanceOf(EOFException.class);
    }

    @Test
    void keepsIdsAsTheWordsThatTheyCameAs() {
        String[] words = {"$3\r\n1-0\r\n", "$4\r\n12-0\r\n", "$4\r\n12-1\r\n"};
        ByteBuffer in = ByteBuffer.wrap(String.join("", words).repeat(100).getBytes(StandardCharsets.US_ASCII));
        int first = words[0].length();
        int second = first + words[1].length();
        int all = second + words[2].length();
        var ids = new Ids();
        for (int i = 0; i < 100; i++) {
            ids.add(in, i * all, i * all + first);
            ids.add(in, i * all + first, i * all + second);
        }
        assertThat(ids.count()).isEqualTo(200);
        assertThat(ids.contains(in, 0, first)).isTrue();
        assertThat(ids.contains(in, first, second)).isTrue();
        assertThat(ids.contains(in, second, all)).as("an id of the same length").isFalse();
        ByteBuffer out = ByteBuffer.allocate(ids.length());
        ids.put(out);
        assertThat(out.array()).isEqualTo((words[0] + words[1]).repeat(100).getBytes(StandardCharsets.US_ASCII));
        ids.clear();
        assertThat(ids.contains(in, 0, first)).isFalse();
        assertThat(Arrays.asList(ids.count(), ids.length())).containsOnly(0);
    }
}
