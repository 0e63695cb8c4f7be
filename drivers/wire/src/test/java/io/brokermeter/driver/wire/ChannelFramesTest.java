package io.brokermeter.driver.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

class ChannelFramesTest {

    private static final int CAPACITY = 4096;
    private static final int HEADER = 7;

    private record Frame(int type, int channel, byte[] payload) {}

    /** Frames with one byte for the type, two for the channel and four for the length. */
    private static final class Typed extends ChannelFrames {

        Typed() {
            super(CAPACITY);
        }

        @Override
        public boolean next() {
            int left = in.limit() - start;
            if (left < HEADER || left < HEADER + in.getInt(start + 3)) {
                return false;
            }
            type = Byte.toUnsignedInt(in.get(start));
            channel = Short.toUnsignedInt(in.getShort(start + 1));
            frameEnd = start + HEADER + in.getInt(start + 3);
            start = frameEnd;
            return true;
        }
    }

    private static byte[] bytes(List<Frame> frames) {
        var bytes = ByteBuffer.allocate(frames.stream().mapToInt(frame -> HEADER + frame.payload.length).sum());
        frames.forEach(frame -> bytes.put((byte) frame.type).putShort((short) frame.channel).putInt(frame.payload.length)
            .put(frame.payload));
        return bytes.array();
    }

    private static byte[] payload(ChannelFrames reader, int length) {
        byte[] payload = new byte[length];
        reader.view(reader.frameEnd() - length, reader.frameEnd()).get(payload);
        return payload;
    }

    /** Frames up to the largest one that fits into the buffer, so that it never grows beyond it, received in pieces of any size. */
    @Test
    void knowsEachFrameInPiecesOfAnySize() throws Exception {
        for (int seed = 0; seed < 50; seed++) {
            var random = new Random(seed);
            List<Frame> frames = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                byte[] payload = new byte[i == 9 ? CAPACITY - HEADER : random.nextInt(random.nextInt(10) == 0 ? CAPACITY - HEADER : 50)];
                random.nextBytes(payload);
                frames.add(new Frame(random.nextInt(256), random.nextInt(65_536), payload));
            }
            var reader = new Typed();
            var wire = Source.pieces(bytes(frames), 1 + random.nextInt(2 * CAPACITY), random);
            for (Frame frame : frames) {
                reader.await(wire);
                assertThat(reader.type()).isEqualTo(frame.type);
                assertThat(reader.channel()).isEqualTo(frame.channel);
                assertThat(payload(reader, frame.payload.length)).isEqualTo(frame.payload);
            }
            assertThat(reader.buffer().capacity()).isLessThanOrEqualTo(CAPACITY);
            assertThatThrownBy(() -> reader.await(wire)).isInstanceOf(EOFException.class);
        }
    }

    @Test
    void refusesAFrameForWhichThereIsNoRoom() {
        byte[] bytes = bytes(List.of(new Frame(1, 0, new byte[10]), new Frame(3, 65_535, new byte[CAPACITY - HEADER + 1])));
        var reader = new Typed();
        var wire = Source.pieces(bytes, 1000, new Random(5));
        assertThatThrownBy(() -> {
            reader.await(wire);
            assertThat(reader.frameEnd()).isEqualTo(HEADER + 10);
            reader.await(wire);
        }).isInstanceOf(IOException.class).hasMessage("the broker sent a frame of more than " + CAPACITY + " bytes");
    }
}
