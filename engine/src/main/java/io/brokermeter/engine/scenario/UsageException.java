package io.brokermeter.engine.scenario;

import java.util.function.Function;

import io.brokermeter.spi.Refusal;
import io.brokermeter.spi.Setting;
import org.jspecify.annotations.Nullable;

/** What the user asked for cannot be run. The message is one sentence for the user, with settings as keys of a scenario file; exit code 2. */
public final class UsageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UsageException(String sentence) {
        super(sentence);
    }

    /** A sentence that names settings, as {@link Refusal} takes it. */
    public UsageException(String format, @Nullable Object... parts) {
        this(new Refusal(format, parts));
    }

    /** The refusal of a driver or of a broker's kind. */
    public UsageException(IllegalArgumentException reason) {
        super(reason.getMessage(), reason);
    }

    /** The sentence with settings as {@code name} names them. */
    public String sentence(Function<Setting, String> name) {
        return getCause() instanceof Refusal refusal ? refusal.sentence(name) : String.valueOf(getMessage());
    }
}
