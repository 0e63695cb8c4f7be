package io.brokermeter.driver.kafka.direct;

import java.nio.ByteBuffer;

/** The numbers of variable length in Kafka's records: seven bits a byte, lowest first, of the number in zig-zag order (0, -1, 1, -2 ...). */
final class Varint {

    /** The number of bytes behind the index of a number that {@link #put(ByteBuffer, int, long)} may overwrite. */
    static final int SPARE = 4;

    private Varint() {}

    /** Returns the number of bytes of an encoded number. */
    static int size(long number) {
        long zigZag = number << 1 ^ number >> 63;
        return (70 - Long.numberOfLeadingZeros(zigZag | 1)) / 7;
    }

    /** Writes a number at the position of a buffer. */
    static ByteBuffer put(ByteBuffer out, long number) {
        long rest = number << 1 ^ number >> 63;
        while ((rest & ~0x7fL) != 0) {
            out.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        return out.put((byte) rest);
    }

    /**
     * Writes a number at an index of a little-endian buffer, with one store and no loop where it takes no more than {@link #SPARE} bytes:
     * the JIT compiler makes less code of it. What follows the number, up to that many bytes behind the index, is overwritten.
     *
     * @return the index behind the number
     */
    static int put(ByteBuffer out, int at, long number) {
        long zigZag = number << 1 ^ number >> 63;
        if (zigZag >>> 28 != 0) {
            out.position(at);
            return put(out, number).position();
        }
        int all = (int) zigZag;
        int size = (38 - Integer.numberOfLeadingZeros(all | 1)) / 7;
        int sevens = all & 0x7f | (all & 0x3f80) << 1 | (all & 0x1f_c000) << 2 | (all & 0xfe0_0000) << 3;
        out.putInt(at, sevens | 0x80_8080 & (1 << 8 * (size - 1)) - 1);
        return at + size;
    }
}
