package io.brokermeter.cluster;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;

import org.jspecify.annotations.Nullable;

/**
 * Cuts texts into pieces, so that other frames may be sent between them, and reassembles them. A text is transmitted as its length in bytes
 * of UTF-8, followed by these bytes; each piece says whether it is the first. So the receiver knows the length before the bytes arrive.
 */
final class Frames {

    private static final byte FIRST = 1;
    private static final byte NEXT = 2;
    private static final byte BYE = 3;
    private static final byte HEARD = 4;
    private static final int PIECE = 48 << 10;

    private byte @Nullable [] text;
    private int filled;
    private long skip;

    /** The result of taking a piece. */
    sealed interface Piece {
        /** The last piece of a text, which is complete now. */
        record Whole(String text, int bytes) implements Piece {}

        /** The sender leaves. */
        record Bye() implements Piece {}

        /** The sender has received everything that was sent before a goodbye. */
        record Heard() implements Piece {}

        /** A piece of a text that is not complete yet, or the rest of one that is skipped. */
        record Part() implements Piece {}

        /** The first piece of an invalid message, which is not handed on. */
        record Bad(String sentence) implements Piece {}
    }

    static byte[] bye() {
        return new byte[] {BYE};
    }

    static byte[] heard() {
        return new byte[] {HEARD};
    }

    static Iterable<byte[]> of(byte[] text) {
        return () -> new Iterator<>() {
            private int at = -1;

            @Override
            public boolean hasNext() {
                return at < text.length;
            }

            @Override
            public byte[] next() {
                int from = Math.max(at, 0);
                int length = Math.min(PIECE, text.length - from);
                ByteBuffer piece = ByteBuffer.allocate(length + (at < 0 ? 1 + Integer.BYTES : 1));
                if (at < 0) {
                    piece.put(FIRST).putInt(text.length);
                } else {
                    piece.put(NEXT);
                }
                piece.put(text, from, length);
                at = from + length;
                return piece.array();
            }
        };
    }

    Piece take(byte[] array, int offset, int length) {
        ByteBuffer piece = ByteBuffer.wrap(array, offset, length);
        if (!piece.hasRemaining()) {
            return bad("an empty piece");
        }
        switch (piece.get()) {
            case BYE:
                return new Piece.Bye();
            case HEARD:
                return new Piece.Heard();
            case FIRST:
                if (piece.remaining() < Integer.BYTES) {
                    return bad("a piece without a length");
                }
                int total = piece.getInt();
                skip = 0;
                if (total < 0 || total > Cluster.LONGEST_MESSAGE) {
                    text = null;
                    skip = Long.MAX_VALUE;
                    return new Piece.Bad("a message of " + (total & 0xffff_ffffL) + " bytes, and the longest may have "
                        + Cluster.LONGEST_MESSAGE);
                }
                text = new byte[total];
                filled = 0;
                return fill(piece);
            case NEXT:
                return skip > 0 ? new Piece.Part() : fill(piece);
            default:
                return bad("a piece of an unknown kind");
        }
    }

    private Piece fill(ByteBuffer piece) {
        byte[] whole = text;
        if (whole == null || piece.remaining() > whole.length - filled) {
            return bad("more bytes than a message has");
        }
        int more = piece.remaining();
        piece.get(whole, filled, more);
        filled += more;
        if (filled < whole.length) {
            return new Piece.Part();
        }
        text = null;
        try {
            return new Piece.Whole(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(whole)).toString(), whole.length);
        } catch (CharacterCodingException e) {
            return new Piece.Bad("a message that is no text");
        }
    }

    private Piece bad(String sentence) {
        text = null;
        skip = Long.MAX_VALUE;
        return new Piece.Bad(sentence);
    }
}
