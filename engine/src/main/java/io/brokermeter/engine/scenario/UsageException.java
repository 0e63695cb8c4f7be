package io.brokermeter.engine.scenario;

import java.util.function.Function;

import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if what the user asked for cannot be run. The message is one sentence for the user, which names settings by their keys in a
 * scenario file. The exit code is 2.
 */
public final class UsageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UsageException(String sentence) {
        super(sentence);
    }

    /** Creates an exception with a sentence that names settings, in the form that {@link Refusal} takes. */
    public UsageException(String format, @Nullable Object... parts) {
        this(new Refusal(format, parts));
    }

    /** Creates an exception for the refusal of a driver, or of a kind of broker. */
    public UsageException(IllegalArgumentException reason) {
        super(reason.getMessage(), reason);
    }

    /** Returns the sentence, with settings named by {@code name}. */
    public String sentence(Function<Setting, String> name) {
        return getCause() instanceof Refusal refusal ? refusal.sentence(name) : String.valueOf(getMessage());
    }
}
