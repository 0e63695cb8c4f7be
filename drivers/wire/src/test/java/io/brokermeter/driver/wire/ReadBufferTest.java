package io.brokermeter.driver.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReadBufferTest {

    /** Frames that begin with their length. */
    private static final class Lengths extends ReadBuffer {

        private int length;

        Lengths(boolean direct) {
            this(direct, 64);
        }

        Lengths(boolean direct, int usual) {
            this(direct, usual, 1 << 17);
        }

        Lengths(boolean direct, int usual, int largest) {
            super(direct, usual, largest);
        }

        @Override
        public boolean next() {
            int left = in.limit() - start;
            if (left < 4) {
                return false;
            }
            if (left < 4 + in.getInt(start)) {
                announced = 4 + in.getInt(start);
                return false;
            }
            length = in.getInt(start);
            start += 4 + length;
            return true;
        }

        byte[] frame() {
            byte[] frame = new byte[length];
            view(start - length, start).get(frame);
            return frame;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void cutsFramesOfAnySizeOutOfPiecesOfAnySize(boolean direct) throws Exception {
        var random = new Random(3);
        List<byte[]> frames = new ArrayList<>();
        var bytes = new ByteArrayOutputStream();
        for (int i = 0; i < 3000; i++) {
            byte[] frame = new byte[random.nextInt(100) == 0 ? random.nextInt(100_000) : random.nextInt(300)];
            random.nextBytes(frame);
            frames.add(frame);
            new DataOutputStream(bytes).writeInt(frame.length);
            bytes.writeBytes(frame);
        }
        var reader = new Lengths(direct);
        var wire = Source.pieces(bytes.toByteArray(), 9000, random);
        for (byte[] frame : frames) {
            reader.await(wire);
            assertThat(reader.frame()).isEqualTo(frame);
        }
        assertThatThrownBy(() -> reader.await(wire)).isInstanceOf(EOFException.class);
    }

    /** Large frames of about the same size are read one by one: otherwise up to a whole one would be moved for each. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void leavesNothingOfTheNextLargeFrameBehindOne(boolean direct) throws Exception {
        var random = new Random(5);
        int size = 900_000;
        var bytes = new ByteArrayOutputStream();
        for (int i = 0; i < 20; i++) {
            byte[] frame = new byte[size - i % 3];
            random.nextBytes(frame);
            new DataOutputStream(bytes).writeInt(frame.length);
            bytes.writeBytes(frame);
        }
        byte[] all = bytes.toByteArray();
        var reader = new Lengths(direct, 1 << 18, 1 << 24);
        var wire = Source.pieces(all, all.length, random);
        int at = 0;
        int behind = 0;
        for (int i = 0; i < 20; i++) {
            reader.await(wire);
            byte[] frame = reader.frame();
            assertThat(frame).isEqualTo(Arrays.copyOfRange(all, at + 4, at + 4 + size - i % 3));
            at += 4 + frame.length;
            if (i >= 2) {
                behind += reader.buffer().limit() - reader.start;
            }
        }
        assertThat(behind).isLessThan(20 * 4);
        assertThat(reader.buffer().capacity()).isEqualTo(1 << 20);
    }

    /** 2,000 connections of 256 KiB each are more than the memory that there is by default, and most receive next to nothing. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void isSmallUntilReadsFillIt(boolean direct) throws Exception {
        byte[] frame = ByteBuffer.allocate(100).putInt(96).array();
        var bytes = new ByteArrayOutputStream();
        for (int i = 0; i < 5_000; i++) {
            bytes.writeBytes(frame);
        }
        var slow = new Lengths(direct, 1 << 16);
        var pieces = Source.pieces(bytes.toByteArray(), 300, new Random(1));
        for (int i = 0; i < 5_000; i++) {
            slow.await(pieces);
        }
        assertThat(slow.buffer().capacity()).isEqualTo(512);
        var busy = new Lengths(direct, 1 << 16);
        var stream = Source.pieces(bytes.toByteArray(), bytes.size() + 1, new Random(1));
        for (int i = 0; i < 5_000; i++) {
            busy.await(stream);
            assertThat(busy.frame()).isEqualTo(new byte[96]);
        }
        assertThat(busy.buffer().capacity()).isEqualTo(1 << 16);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void growsNoFurtherThanItMay(boolean direct) {
        byte[] bytes = ByteBuffer.allocate(1 << 18).putInt(1 << 20).array();
        assertThatThrownBy(() -> new Lengths(direct).await(Source.pieces(bytes, 9000, new Random(1)))).isInstanceOf(IOException.class)
            .hasMessage("the broker sent a frame of more than 131072 bytes");
    }
}
