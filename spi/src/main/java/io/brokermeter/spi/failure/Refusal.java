package io.brokermeter.spi.failure;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;

import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * The refusal of a user's request: one sentence that can name settings. The message names them as keys of a scenario file.
 */
public final class Refusal extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String format;
    private final transient @Nullable Object[] parts;

    /**
     * @param format format string as of {@link String#format}, with {@code %s} for a setting
     * @param parts arguments of the format: values, settings, which are inserted by their names, and refusals, by their sentences
     */
    public Refusal(String format, @Nullable Object... parts) {
        super(sentence(format, parts, Setting::key));
        this.format = format;
        this.parts = parts.clone();
    }

    /** Returns the sentence with the settings named by {@code name}. */
    public String sentence(Function<Setting, String> name) {
        return sentence(format, parts, name);
    }

    private static String sentence(String format, @Nullable Object[] parts, Function<Setting, String> name) {
        return String.format(Locale.ROOT, format, Arrays.stream(parts).map(part -> switch (part) {
            case null -> "none";
            case Setting setting -> name.apply(setting);
            case Refusal refusal -> refusal.sentence(name);
            default -> part;
        }).toArray());
    }
}
