package io.brokermeter.cli;

import java.util.List;
import java.util.function.Predicate;

import io.brokermeter.engine.scenario.UsageException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Options that exclude each other. */
final class Contradictions {

    private static final String DESTINATION = "DESTINATION";

    /** Two options and, for the sentence, why they cannot go together. */
    private record Pair(String first, String second, String reason) {}

    private static final List<Pair> PAIRS = List.of(
        new Pair("--broker", "--url", "one starts a broker for this run, the other names one that runs"),
        new Pair("--broker", "--consumer-url", "one starts a broker for this run, the other names one that runs"),
        new Pair("--rate", "--rate-per-producer", "both set the rate"),
        new Pair("--rate", "--load", "both set the rate"),
        new Pair("--rate-per-producer", "--load", "both set the rate"),
        new Pair("--tx", "--multi-ack-every", "a transaction acknowledges with its commit, every --commit-interval messages"),
        new Pair("--group", "--keys", "a group is the one key of all messages"),
        new Pair("--password", "--password-file", "both set the password"),
        new Pair("--consumer-password", "--consumer-password-file", "both set the password"),
        new Pair("--queue", DESTINATION, "both name the destination"));

    private Contradictions() {}

    /** Refuses two options that exclude each other. */
    static void refuse(CommandSpec spec, Predicate<ArgSpec> given) {
        for (Pair pair : PAIRS) {
            ArgSpec first = find(spec, pair.first);
            ArgSpec second = find(spec, pair.second);
            if (first != null && second != null && given.test(first) && given.test(second)) {
                throw new UsageException(
                    "Give either " + pair.first + " or " + pair.second + ", not both: " + pair.reason + ".");
            }
        }
    }

    /** Takes out of {@code environment} what contradicts an option of the command line. */
    static void overrule(CommandSpec spec, Predicate<ArgSpec> typed, EnvironmentVariables environment) {
        for (Pair pair : PAIRS) {
            ArgSpec first = find(spec, pair.first);
            ArgSpec second = find(spec, pair.second);
            if (first != null && second != null) {
                if (typed.test(first)) {
                    environment.overrule(second);
                }
                if (typed.test(second)) {
                    environment.overrule(first);
                }
            }
        }
    }

    private static @Nullable ArgSpec find(CommandSpec spec, String name) {
        if (name.equals(DESTINATION)) {
            List<PositionalParamSpec> parameters = spec.positionalParameters();
            return parameters.isEmpty() ? null : parameters.getFirst();
        }
        return spec.findOption(name);
    }
}
