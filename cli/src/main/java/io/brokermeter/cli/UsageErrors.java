package io.brokermeter.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.brokermeter.cli.options.EnvironmentVariables;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.Sentences;
import io.brokermeter.spi.parameter.Nearest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Describes a mistake that picocli found in a command line in one sentence that says what to type instead. */
final class UsageErrors {

    /** The words that the label of an option contains whose value is a path, or a list of paths. */
    private static final Pattern PATH = Pattern.compile("\\b(FILE|DIR|PATH)\\b");

    private final String command;
    private final CommandSpec spec;
    private final EnvironmentVariables environment;

    UsageErrors(String command, CommandSpec spec, EnvironmentVariables environment) {
        this.command = command;
        this.spec = spec;
        this.environment = environment;
    }

    /**
     * Returns the sentence for a mistake.
     *
     * @param others returns the other commands by name, one of which may have an option that this command lacks
     */
    String sentence(ParameterException mistake, String[] args, Supplier<Map<String, CommandSpec>> others) {
        String single = singleDash(args);
        if (single != null) {
            return single;
        }
        if (mistake instanceof UnmatchedArgumentException unmatched) {
            return unknown(unmatched.getUnmatched().getFirst(), others);
        }
        if (mistake instanceof MissingParameterException missing && !missing.getMissing().isEmpty()
            && missing.getMissing().getFirst() instanceof OptionSpec option) {
            String name = name(option, typed(option, args).orElse(""));
            return name + " needs a value: " + name + " " + option.paramLabel() + ".";
        }
        if (mistake instanceof MissingParameterException missing && !missing.getMissing().isEmpty()) {
            String label = missing.getMissing().getFirst().paramLabel();
            return "Give a " + label + ": brokermeter " + command + " " + label + "; 'brokermeter " + command + " --help' says what it is.";
        }
        if (mistake instanceof OverwrittenOptionException overwritten
            && overwritten.getOverwritten() instanceof OptionSpec option) {
            return "Give " + String.join(" or ", option.names()) + " once only.";
        }
        ArgSpec arg = mistake.getArgSpec();
        if (arg instanceof OptionSpec option) {
            Optional<String> typed = typed(option, args);
            String variable = typed.isPresent() ? null : environment.source(option);
            String where = variable == null ? name(option, typed.orElse("")) : variable;
            if (mistake.getCause() instanceof UsageException reason) {
                return where + ": " + reason.getMessage();
            }
            if (option.arity().max() == 0) {
                return where + (variable == null ? " takes no value." : " must be true or false.");
            }
            return where + ": '" + mistake.getValue() + "' is not " + kind(option) + ".";
        }
        String message = String.valueOf(mistake.getMessage());
        return message.endsWith(".") ? message : message + ".";
    }

    /** Returns a sentence about the first empty path; null for none. An empty path is the current directory, which is hardly intended. */
    static @Nullable String emptyPath(ParseResult parsed) {
        return Stream.concat(parsed.matchedOptions().stream(), parsed.matchedPositionals().stream())
            .filter(arg -> PATH.matcher(arg.paramLabel()).find() && arg.originalStringValues().stream().anyMatch(String::isBlank))
            .map(arg -> (arg instanceof OptionSpec option ? option.longestName() + " '' is no path; give "
                : "'' is no path; give ") + arg.paramLabel() + ".")
            .findFirst().orElse(null);
    }

    /**
     * Returns the name by which the command line has the option, in any form: {@code --rate 5}, {@code --rate=5}, {@code -r 5} or
     * {@code -r5}; empty if it has not.
     */
    private static Optional<String> typed(OptionSpec option, String[] args) {
        return Stream.of(args).flatMap(word -> Stream.of(option.names())
            .filter(name -> name.equals(word.split("=", 2)[0]) || name.length() == 2 && word.startsWith(name))).findFirst();
    }

    /** Returns the long name that was typed; otherwise the first long name, or the short one of an option without. */
    private static String name(OptionSpec option, String typed) {
        return typed.startsWith("--") ? typed
            : Stream.of(option.names()).filter(name -> name.startsWith("--")).findFirst().orElseGet(option::longestName);
    }

    /** Returns the kind of values that an option takes, in words. */
    private static String kind(OptionSpec option) {
        Class<?> type = option.isMultiValue() ? option.auxiliaryTypes()[0] : option.type();
        if (type == int.class || type == Integer.class || type == long.class || type == Long.class) {
            return "a whole number";
        }
        if (type == double.class || type == Double.class) {
            return "a number";
        }
        return type == Path.class ? "a path" : "of the form " + option.paramLabel();
    }

    private String unknown(String argument, Supplier<Map<String, CommandSpec>> others) {
        int equals = argument.indexOf('=');
        String name = equals < 0 ? argument : argument.substring(0, equals);
        if (!name.startsWith("-")) {
            return "'" + name + "' is not understood by '" + command + "'.";
        }
        List<String> owners = others.get().entrySet().stream().filter(other -> other.getValue().findOption(name) != null)
            .map(Map.Entry::getKey).toList();
        if (!owners.isEmpty()) {
            return "Option " + name + " belongs to " + Sentences.list(owners) + ", not to " + command + ".";
        }
        String nearest = Nearest.to(name, names());
        return "Unknown option " + name + (nearest == null
            ? "; 'brokermeter " + command + " --help' lists the options."
            : "; did you mean " + nearest + "?");
    }

    /** Returns a sentence about {@code -rate} in place of {@code --rate}, which picocli takes for {@code -r ate}; null for none. */
    private @Nullable String singleDash(String[] args) {
        for (String arg : args) {
            String name = arg.contains("=") ? arg.substring(0, arg.indexOf('=')) : arg;
            if (name.length() > 2 && name.startsWith("-") && !name.startsWith("--") && spec.findOption("-" + name) != null) {
                return "Unknown option " + name + "; did you mean -" + name + "?";
            }
        }
        return null;
    }

    private List<String> names() {
        return spec.options().stream().filter(option -> !option.hidden()).flatMap(option -> Stream.of(option.names()))
            .filter(name -> name.startsWith("--")).toList();
    }
}
