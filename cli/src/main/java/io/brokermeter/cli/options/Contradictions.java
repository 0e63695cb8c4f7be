package io.brokermeter.cli.options;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.Content;
import io.brokermeter.experiment.table.Exclusion;
import io.brokermeter.spi.parameter.UrlLogin;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** Checks a command's options against the table of settings that exclude each other. */
public final class Contradictions {

    private Contradictions() {}

    /**
     * Refuses two given options that exclude each other.
     *
     * @throws UsageException for the first such pair
     */
    public static void refuse(CommandSpec spec, Predicate<ArgSpec> given) {
        for (Exclusion pair : Exclusion.ofOptions()) {
            ArgSpec first = find(spec, pair.first());
            ArgSpec second = find(spec, pair.second());
            if (first != null && second != null && given.test(first) && given.test(second)) {
                throw new UsageException("Give either " + pair.first() + " or " + pair.second() + ", not both: " + pair.reason() + ".");
            }
        }
    }

    /** Overrules those variables of {@code environment} that contradict an option of the command line, or the login of a URL there. */
    public static void overrule(CommandSpec spec, Predicate<ArgSpec> typed, EnvironmentVariables environment) {
        BiConsumer<@Nullable ArgSpec, @Nullable ArgSpec> over = (strong, weak) -> {
            if (strong != null && weak != null && typed.test(strong)) {
                environment.overrule(weak);
            }
        };
        for (Exclusion pair : Exclusion.ofOptions()) {
            over.accept(find(spec, pair.first()), find(spec, pair.second()));
            over.accept(find(spec, pair.second()), find(spec, pair.first()));
        }
        ArgSpec body = find(spec, "--body");
        String content = body == null ? null : environment.defaultValue(body);
        // That of a file or a template has a size of its own.
        if (content != null && Content.isVerbatim(content)) {
            over.accept(find(spec, "--message-size"), body);
        }
        for (String side : List.of("--", "--consumer-")) {
            ArgSpec url = find(spec, side + "url");
            UrlLogin login = url != null && url.getValue() instanceof String text ? login(text) : null;
            if (login != null && login.user() != null) {
                over.accept(url, find(spec, side + "user"));
            }
            if (login != null && login.password() != null) {
                over.accept(url, find(spec, side + "password"));
                over.accept(url, find(spec, side + "password-file"));
            }
        }
    }

    private static @Nullable UrlLogin login(String url) {
        try {
            return UrlLogin.of(url);
        } catch (IllegalArgumentException e) {
            return null; // the URL is refused where it is read
        }
    }

    private static @Nullable ArgSpec find(CommandSpec spec, String name) {
        return name.equals(Exclusion.DESTINATION) ? spec.positionalParameters().stream().findFirst().orElse(null) : spec.findOption(name);
    }
}
