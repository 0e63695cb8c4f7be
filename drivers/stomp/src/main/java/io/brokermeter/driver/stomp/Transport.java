package io.brokermeter.driver.stomp;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A connected stream of bytes in both directions. One thread reads while another one writes. */
interface Transport {

    /**
     * Blocks until there is something to read, and reads what is there and has room.
     *
     * @param into a buffer over an array
     * @return the number of bytes, -1 at the end of the stream
     */
    int read(ByteBuffer into) throws IOException;

    /** Blocks until all of it is written. */
    void write(ByteBuffer from) throws IOException;

    /** Ends reads and writes that are under way, at once and without a word to the peer; idempotent; any thread. */
    void close();
}
