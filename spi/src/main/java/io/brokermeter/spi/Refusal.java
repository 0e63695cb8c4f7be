package io.brokermeter.spi;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * A refusal of what the user asked for: one sentence that can name settings. Its message names them as keys of a scenario file.
 */
public final class Refusal extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String format;
    private final transient @Nullable Object[] parts;

    /**
     * @param format as {@link String#format} takes it, with {@code %s} for a setting
     * @param parts values, each {@link Setting} and each further refusal by its words
     */
    public Refusal(String format, @Nullable Object... parts) {
        super(sentence(format, parts, Setting::key));
        this.format = format;
        this.parts = parts.clone();
    }

    /** The sentence with the settings as {@code name} names them. */
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
