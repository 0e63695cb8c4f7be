package io.brokermeter.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.cluster.Frames.Piece;
import org.junit.jupiter.api.Test;

class FramesTest {

    private final Frames frames = new Frames();

    private List<Piece> take(byte[] text) {
        List<Piece> pieces = new ArrayList<>();
        for (byte[] one : Frames.of(text)) {
            pieces.add(frames.take(one, 0, one.length));
        }
        return pieces;
    }

    @Test
    void textsOfEachLengthComeOutAsTheyWentIn() {
        for (int length : new int[] {0, 1, 49_151, 49_152, 49_153, 98_304, 98_305}) {
            String text = "x".repeat(length);
            List<Piece> pieces = take(text.getBytes(StandardCharsets.UTF_8));
            assertThat(pieces.getLast()).isEqualTo(new Piece.Whole(text, length));
            assertThat(pieces.subList(0, pieces.size() - 1)).allMatch(Piece.Part.class::isInstance);
        }
        assertThat(frames.take(Frames.bye(), 0, 1)).isEqualTo(new Piece.Bye());
    }

    @Test
    void whatIsTooLongOrNoTextIsSaidOnceAndTheNextOneIsRead() {
        byte[] tooLong = ByteBuffer.allocate(5).put((byte) 1).putInt(Cluster.LONGEST_MESSAGE + 1).array();
        assertThat(frames.take(tooLong, 0, 5))
            .isEqualTo(new Piece.Bad("a message of 33554433 bytes, and the longest may have 33554432"));
        assertThat(frames.take(new byte[] {2, 'x'}, 0, 2)).isEqualTo(new Piece.Part());
        assertThat(take("next".getBytes(StandardCharsets.UTF_8))).containsExactly(new Piece.Whole("next", 4));
        assertThat(take(new byte[] {(byte) 0xff})).containsExactly(new Piece.Bad("a message that is no text"));
        assertThat(frames.take(new byte[] {1, 0, 0, 0, 1, 'x', 'y'}, 0, 7)).isEqualTo(new Piece.Bad("more bytes than a message has"));
        assertThat(frames.take(new byte[] {9}, 0, 1)).isEqualTo(new Piece.Bad("a piece of an unknown kind"));
        assertThat(take("next".getBytes(StandardCharsets.UTF_8))).containsExactly(new Piece.Whole("next", 4));
    }
}
