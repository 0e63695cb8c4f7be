package io.brokermeter.driver.core.codec;

import java.nio.ByteBuffer;

import io.brokermeter.spi.failure.DriverException;
import org.jspecify.annotations.Nullable;

/** An exception that the broker sent in answer to a packet. */
final class CoreRefusal extends DriverException {

    private static final long serialVersionUID = 1L;

    private final int code;

    private CoreRefusal(String sentence, int code) {
        super(sentence, null);
        this.code = code;
    }

    /**
     * Reads the fields of an exception packet.
     *
     * @param what what the broker refused, as the beginning of a sentence
     */
    static CoreRefusal read(ByteBuffer fields, String what) {
        int code = fields.getInt();
        return of(code, CorePacket.readNullableText(fields), what);
    }

    static CoreRefusal of(int code, @Nullable String text, String what) {
        return new CoreRefusal(what + (text == null || text.isBlank() ? " (code " + code + ")." : ": " + text.strip()), code);
    }

    int code() {
        return code;
    }
}
