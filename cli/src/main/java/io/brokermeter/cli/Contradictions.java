package io.brokermeter.cli;

import java.util.function.BiConsumer;
import java.util.function.Predicate;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Exclusion;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** Options of a command that exclude each other, by the table of settings. */
final class Contradictions {

    private Contradictions() {}

    /** Refuses two options that exclude each other. */
    static void refuse(CommandSpec spec, Predicate<ArgSpec> given) {
        for (Exclusion pair : Exclusion.ofOptions()) {
            ArgSpec first = find(spec, pair.first());
            ArgSpec second = find(spec, pair.second());
            if (first != null && second != null && given.test(first) && given.test(second)) {
                throw new UsageException("Give either " + pair.first() + " or " + pair.second() + ", not both: " + pair.reason() + ".");
            }
        }
    }

    /** Takes out of {@code environment} what contradicts an option of the command line. */
    static void overrule(CommandSpec spec, Predicate<ArgSpec> typed, EnvironmentVariables environment) {
        BiConsumer<@Nullable ArgSpec, @Nullable ArgSpec> over = (strong, weak) -> {
            if (strong != null && weak != null && typed.test(strong)) {
                environment.overrule(weak);
            }
        };
        for (Exclusion pair : Exclusion.ofOptions()) {
            over.accept(find(spec, pair.first()), find(spec, pair.second()));
            over.accept(find(spec, pair.second()), find(spec, pair.first()));
        }
    }

    private static @Nullable ArgSpec find(CommandSpec spec, String name) {
        return name.equals(Exclusion.DESTINATION) ? spec.positionalParameters().stream().findFirst().orElse(null) : spec.findOption(name);
    }
}
