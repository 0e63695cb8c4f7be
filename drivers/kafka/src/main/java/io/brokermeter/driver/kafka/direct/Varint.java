package io.brokermeter.driver.kafka.direct;

import java.nio.ByteBuffer;

/** The numbers of variable length in Kafka's records: seven bits a byte, lowest first, of the number in zig-zag order (0, -1, 1, -2 ...). */
final class Varint {

    private Varint() {}

    /** Returns the number of bytes of an encoded number. */
    static int size(long number) {
        long zigZag = number << 1 ^ number >> 63;
        return (70 - Long.numberOfLeadingZeros(zigZag | 1)) / 7;
    }

    static ByteBuffer put(ByteBuffer out, long number) {
        long rest = number << 1 ^ number >> 63;
        while ((rest & ~0x7fL) != 0) {
            out.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        return out.put((byte) rest);
    }
}
