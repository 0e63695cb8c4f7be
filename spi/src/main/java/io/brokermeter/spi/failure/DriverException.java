package io.brokermeter.spi.failure;

import java.io.IOException;
import java.util.function.Function;

import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * A failure whose message is one whole sentence for the user: what happened, where, and what to change. The message is
 * shown unchanged; the causes are shown in verbose output only.
 */
public class DriverException extends IOException {

    /** @param sentence one sentence for the user, without secrets */
    public DriverException(String sentence, @Nullable Throwable cause) {
        super(sentence, cause);
    }

    /** @param refusal the sentence, in which settings can be named */
    public DriverException(Refusal refusal) {
        super(refusal.getMessage(), refusal);
    }

    /** Returns the sentence for the user, with settings named by {@code name}. */
    public final String sentence(Function<Setting, String> name) {
        return getCause() instanceof Refusal refusal ? refusal.sentence(name) : String.valueOf(getMessage());
    }
}
