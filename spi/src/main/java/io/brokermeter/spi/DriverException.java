package io.brokermeter.spi;

import java.io.IOException;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * A failure whose message is already one whole sentence for the user: what happened, where, and what to change. It is
 * shown as it is; its causes are for a verbose output.
 */
public class DriverException extends IOException {

    /** @param sentence one sentence for the user, without secrets */
    public DriverException(String sentence, @Nullable Throwable cause) {
        super(sentence, cause);
    }

    /** A sentence that names settings. */
    public DriverException(Refusal refusal) {
        super(refusal.getMessage(), refusal);
    }

    /** The sentence with settings as {@code name} names them. */
    public final String sentence(Function<Setting, String> name) {
        return getCause() instanceof Refusal refusal ? refusal.sentence(name) : String.valueOf(getMessage());
    }
}
