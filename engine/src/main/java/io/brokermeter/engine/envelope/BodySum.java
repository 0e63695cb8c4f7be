package io.brokermeter.engine.envelope;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Computes the checksum that an envelope carries of a body whose bytes receivers do not know: 22 bits of the CRC-32C of all
 * its bytes. A body that was truncated or changed has the same checksum with a probability of one in four million. Used by
 * one thread at a time; allocates nothing.
 */
final class BodySum {

    private final CRC32C crc = new CRC32C();

    int of(byte[] bytes, int from, int to) {
        crc.reset();
        crc.update(bytes, from, to - from);
        return (int) (crc.getValue() >>> 10);
    }

    /** Returns the checksum of the bytes between {@code from} and the limit; leaves position and limit as they were. */
    int of(ByteBuffer body, int from) {
        int position = body.position();
        crc.reset();
        crc.update(body.position(from));
        body.position(position);
        return (int) (crc.getValue() >>> 10);
    }
}
