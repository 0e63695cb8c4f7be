package io.brokermeter.driver.amqp091.direct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;

import org.junit.jupiter.api.Test;

class FieldsTest {

    @Test
    void readsWhatItWrites() throws Exception {
        var table = Map.<String, Object>of("a", 1L, "b", true, "c", Map.of("d", "text", "e", Map.of()));
        var buffer = ByteBuffer.allocate(1000);
        Fields.table(buffer, table);
        assertThat(Fields.table(buffer.flip())).isEqualTo(table);
    }

    /** Nested tables and nested arrays with about as many levels as fit into a frame. */
    @Test
    void refusesTablesThatAreTooDeep() {
        for (char type : new char[] {'F', 'A'}) {
            int levels = 15_000;
            int size = type == 'F' ? 6 : 5;
            var buffer = ByteBuffer.allocate(4 + 2 + levels * size + 100);
            buffer.putInt((type == 'F' ? 0 : 1) + levels * size);
            buffer.put((byte) 0);
            for (int left = levels; left > 0; left--) {
                buffer.put((byte) type).putInt((left - 1) * size);
                if (type == 'F') {
                    buffer.put((byte) 0);
                }
            }
            assertThatThrownBy(() -> Fields.table(buffer.flip())).isInstanceOf(IOException.class).hasMessageContaining("deep");
        }
    }

    @Test
    void refusesLengthsBeyondTheFrame() {
        for (char type : new char[] {'S', 'F', 'A'}) {
            var buffer = ByteBuffer.allocate(20).putInt(7).put((byte) 1).put((byte) 'a').put((byte) type).putInt(2_000_000_000).flip();
            assertThatThrownBy(() -> Fields.table(buffer)).isInstanceOf(IOException.class).hasMessageContaining("longer than its frame");
        }
    }
}
