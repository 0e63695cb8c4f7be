package io.brokermeter.driver.stomp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.brokermeter.driver.wire.Wire;
import org.junit.jupiter.api.Test;

class StompFramesTest {

    /** A wire that delivers bytes in pieces that end at chosen positions. */
    private static final class Pieces implements Wire {

        private final byte[] bytes;
        private final int[] ends;
        private int at;

        Pieces(byte[] bytes, int... ends) {
            this.bytes = bytes;
            this.ends = ends;
        }

        @Override
        public int read(ByteBuffer into) {
            if (at == bytes.length) {
                return -1;
            }
            int end = bytes.length;
            for (int each : ends) {
                if (each > at) {
                    end = Math.min(end, each);
                }
            }
            int count = Math.min(end - at, into.remaining());
            into.put(bytes, at, count);
            at += count;
            return count;
        }

        @Override
        public void write(ByteBuffer from) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void end() {}

        @Override
        public void close() {}
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] joined(byte[]... parts) {
        var all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    /** Returns all frames up to the end of the stream, each as one line. */
    private static List<String> read(StompFrames reader, Wire transport) throws IOException {
        var frames = new ArrayList<String>();
        while (true) {
            while (reader.next()) {
                var line = new StringBuilder(reader.command().name());
                for (var header : StompFrames.Header.values()) {
                    if (reader.has(header)) {
                        line.append(' ').append(header).append('=').append(reader.text(header));
                    }
                }
                var body = new byte[reader.body().remaining()];
                reader.body().get(body);
                frames.add(line.append(" [").append(new String(body, StandardCharsets.ISO_8859_1)).append(']').toString());
            }
            try {
                reader.fill(transport);
            } catch (EOFException e) {
                return frames;
            }
        }
    }

    private static final byte[] SEVERAL = joined(
        utf8("\n\nCONNECTED\nversion:1.2\nserver:Some/1.0 x\nheart-beat:10,20\n\n\0"), utf8("\n\r\n\n"),
        utf8("MESSAGE\nsubscription:c1\ncontent-length:5\nmessage-id:7\nother:x\nredelivered:true\nack:9\n\n"),
        new byte[] {0, '\n', 0, 'A', 0}, utf8("\0\n"),
        utf8("RECEIPT\nreceipt-id:3-000000000000001\n\n\0RECEIPT\r\nreceipt-id:r1\r\n\r\n\0"),
        utf8("MESSAGE\nmessage-id:8\n\nno length\0\n\n"),
        utf8("ERROR\nmessage:bad\\cthing\ncontent-length:0\n\n\0"));

    private static final List<String> EXPECTED = List.of(
        "CONNECTED HEART_BEAT=10,20 SERVER=Some/1.0 x VERSION=1.2 []",
        "MESSAGE ACK=9 CONTENT_LENGTH=5 MESSAGE_ID=7 REDELIVERED=true SUBSCRIPTION=c1 [\0\n\0A\0]",
        "RECEIPT RECEIPT_ID=3-000000000000001 []",
        "RECEIPT RECEIPT_ID=r1 []",
        "MESSAGE MESSAGE_ID=8 [no length]",
        "ERROR CONTENT_LENGTH=0 MESSAGE=bad\\cthing []");

    @Test
    void readsSeveralFramesOfOneRead() throws IOException {
        assertThat(read(new StompFrames(), new Pieces(SEVERAL))).isEqualTo(EXPECTED);
    }

    @Test
    void readsFramesThatAreSplitAnywhere() throws IOException {
        for (int first = 1; first < SEVERAL.length; first++) {
            assertThat(read(new StompFrames(), new Pieces(SEVERAL, first))).as("split at %s", first).isEqualTo(EXPECTED);
            for (int second = first + 1; second < SEVERAL.length; second += 7) {
                assertThat(read(new StompFrames(128), new Pieces(SEVERAL, first, second)))
                    .as("split at %s and %s", first, second).isEqualTo(EXPECTED);
            }
        }
    }

    @Test
    void readsByteByByteIntoABufferThatMustGrow() throws IOException {
        var each = new int[SEVERAL.length];
        for (int i = 0; i < each.length; i++) {
            each[i] = i + 1;
        }
        assertThat(read(new StompFrames(16), new Pieces(SEVERAL, each))).isEqualTo(EXPECTED);
    }

    @Test
    void readsBodiesLargerThanItsBuffer() throws IOException {
        var random = new Random(3);
        var bodies = new ArrayList<byte[]>();
        var all = new ByteArrayOutputStream();
        for (int i = 0; i < 20; i++) {
            var body = new byte[random.nextInt(100_000)];
            random.nextBytes(body);
            bodies.add(body);
            all.writeBytes(utf8("MESSAGE\nsubscription:1\nmessage-id:" + i + "\ncontent-length:" + body.length + "\n\n"));
            all.writeBytes(body);
            all.writeBytes(utf8("\0\n"));
        }
        var ends = random.ints(500, 1, all.size()).toArray();
        var frames = read(new StompFrames(4096), new Pieces(all.toByteArray(), ends));
        assertThat(frames).hasSize(20);
        for (int i = 0; i < 20; i++) {
            assertThat(frames.get(i)).endsWith(" [" + new String(bodies.get(i), StandardCharsets.ISO_8859_1) + "]");
        }
    }

    @Test
    void takesTheFirstOfHeadersThatComeTwice() throws IOException {
        assertThat(read(new StompFrames(), new Pieces(utf8("MESSAGE\nmessage-id:1\nack:a\nack:b\nmessage-id:2\n\n\0"))))
            .containsExactly("MESSAGE ACK=a MESSAGE_ID=1 []");
    }

    @Test
    void mistakesNoHeaderForOneWithALongerName() throws IOException {
        assertThat(read(new StompFrames(),
            new Pieces(utf8("MESSAGE\nmessage-idx:1\nackn:a\nmessage:\nredelivered-by:true\nsubscriptions:x\na\n\n\0"))))
            .containsExactly("MESSAGE MESSAGE= []");
    }

    @Test
    void refusesWhatIsNoStomp() {
        for (var text : new String[] {"HTTP/1.1 400 Bad Request\r\n\r\n", "MESSAGES\n\n\0",
            "MESSAGE\ncontent-length:x\n\n\0", "MESSAGE\ncontent-length:-1\n\n\0",
            "MESSAGE\ncontent-length:99999999999999999999\n\n\0", "MESSAGE\ncontent-length:2\n\nabc\0"}) {
            assertThatThrownBy(() -> read(new StompFrames(), new Pieces(utf8(text)))).as(text)
                .isInstanceOf(IOException.class).hasMessageContaining("the broker sent");
        }
    }

    /** A length up to 512 MiB is legal, but the buffer must grow only with the bytes that arrive. */
    @Test
    void makesRoomForWhatCameAndNotForWhatWasAnnounced() throws IOException {
        var threads = (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        var reader = new StompFrames();
        var announced = new Pieces(utf8("MESSAGE\ncontent-length:400000000\n\nfew"));
        long before = threads.getCurrentThreadAllocatedBytes();
        assertThat(read(reader, announced)).isEmpty();
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(16 << 20);
        for (var length : new String[] {"600000000", "2000000000", "9000000000"}) {
            assertThatThrownBy(() -> read(new StompFrames(), new Pieces(utf8("MESSAGE\ncontent-length:" + length + "\n\nfew"))))
                .isInstanceOf(IOException.class).hasMessageContaining(length).hasMessageContaining("not taken");
        }
    }

    @Test
    void escapesEachVersionInItsWay() {
        assertThat(StompVersion.V1_2.escape("a:b\\c\nd\r", false)).isEqualTo("a\\cb\\\\c\\nd\\r");
        assertThat(StompVersion.V1_1.escape("a:b\\c\nd", false)).isEqualTo("a\\cb\\\\c\\nd");
        assertThat(StompVersion.V1_0.escape("a:b\\c", false)).isEqualTo("a:b\\c");
        assertThatThrownBy(() -> StompVersion.V1_1.escape("a\rb", false)).hasMessageContaining("carriage return");
        assertThatThrownBy(() -> StompVersion.V1_0.escape("a\nb", false)).hasMessageContaining("line feed");
        assertThatThrownBy(() -> StompVersion.V1_0.escape("a:b", true)).hasMessageContaining("colon");
        assertThatThrownBy(() -> StompVersion.V1_2.escape("a\0b", false)).hasMessageContaining("NUL");
        for (var version : StompVersion.values()) {
            var text = version == StompVersion.V1_0 ? "a:b\\n" : "a:b\\n\n\\";
            assertThat(version.unescape(version.escape(text, false))).isEqualTo(text);
        }
        assertThat(StompVersion.V1_2.unescape("odd\\t\\")).isEqualTo("odd\\t\\");
    }
}
