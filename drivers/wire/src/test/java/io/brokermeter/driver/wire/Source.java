package io.brokermeter.driver.wire;

import java.nio.ByteBuffer;
import java.util.Random;

/** A wire whose peer only sends. */
interface Source extends Wire {

    @Override
    default void write(ByteBuffer from) {}

    @Override
    default void end() {}

    @Override
    default void close() {}

    /** Returns a wire whose peer sends these bytes in pieces of any size up to {@code largest}, and then ends. */
    static Wire pieces(byte[] bytes, int largest, Random random) {
        var all = ByteBuffer.wrap(bytes);
        return new Source() {

            @Override
            public int read(ByteBuffer into) {
                if (!into.hasRemaining()) {
                    throw new IllegalArgumentException("There is no room to read into.");
                }
                int count = Math.min(1 + random.nextInt(largest), Math.min(all.remaining(), into.remaining()));
                into.put(all.slice(all.position(), count));
                all.position(all.position() + count);
                return count == 0 ? -1 : count;
            }
        };
    }
}
