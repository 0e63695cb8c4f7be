package io.brokermeter.driver.mqtt;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Both directions of a connection, which block. One thread reads and one at a time writes; any thread may close. */
interface Wire {

    /** Reads what is there, at least one byte; -1 when the peer has ended its side. */
    int read(ByteBuffer into) throws IOException;

    /** Writes all that remains. */
    void write(ByteBuffer from) throws IOException;

    /** Says that nothing more will be written, where the transport can say that. */
    void end();

    /** Closes both directions; a read or a write under way ends with an exception. */
    void close();
}
