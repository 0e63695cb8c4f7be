package io.brokermeter.spi;

import java.io.IOException;

import org.jspecify.annotations.Nullable;

/**
 * A failure whose message is already one whole sentence for the user: what happened, where, and what to change. It is
 * shown as it is; its causes are for a verbose output.
 */
public class DriverException extends IOException {

    public DriverException(String sentence, @Nullable Throwable cause) {
        super(sentence, cause);
    }
}
