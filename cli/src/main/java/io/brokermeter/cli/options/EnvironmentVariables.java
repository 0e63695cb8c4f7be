package io.brokermeter.cli.options;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.cli.prepare.CacheTraining;
import io.brokermeter.spi.parameter.Nearest;
import io.brokermeter.trials.agents.AgentPool;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The values of options from environment variables: {@code BROKERMETER_MAX_PENDING} for {@code --max-pending}, and likewise for
 * each of an option's long names. An empty variable counts as unset. The command line takes precedence, also over a variable
 * that contradicts it.
 */
public final class EnvironmentVariables implements IDefaultValueProvider {

    private static final String PREFIX = "BROKERMETER_";

    private final Map<String, String> values = new TreeMap<>();
    private final Set<ArgSpec> overruled = new LinkedHashSet<>();

    public EnvironmentVariables(Map<String, String> environment) {
        environment.forEach((name, value) -> {
            if (name.startsWith(PREFIX) && !value.isEmpty() && !name.equals(CacheTraining.VARIABLE)
                && !name.equals(AgentPool.SSH)) {
                values.put(name, value);
            }
        });
    }

    public boolean isEmpty() {
        return values.isEmpty();
    }

    /** Returns the variable for an option's long name. */
    public static String variable(String optionName) {
        return PREFIX + optionName.substring(2).toUpperCase(Locale.ROOT).replace('-', '_');
    }

    /** Ignores the variables of this option from now on, since the command line excludes it. */
    public void overrule(ArgSpec option) {
        overruled.add(option);
    }

    /** Returns the variable that gives this option its value, or null when none does. */
    public @Nullable String source(ArgSpec arg) {
        if (overruled.contains(arg) || !(arg instanceof OptionSpec option) || isForAllCommands(option)) {
            return null;
        }
        for (String name : option.names()) {
            if (name.startsWith("--") && values.containsKey(variable(name))) {
                return variable(name);
            }
        }
        return null;
    }

    @Override
    public @Nullable String defaultValue(ArgSpec arg) {
        String variable = source(arg);
        String value = variable == null ? null : values.get(variable);
        if (value == null || arg.type() != boolean.class) {
            return value;
        }
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "1", "yes", "on", "true" -> "true";
            case "0", "no", "off", "false" -> "false";
            default -> value;
        };
    }

    /** Returns one sentence for each variable that belongs to no option of these commands. */
    public List<String> unknown(Collection<CommandSpec> commands) {
        Set<String> known = commands.stream().flatMap(command -> command.options().stream()).filter(option -> !isForAllCommands(option))
            .flatMap(option -> Stream.of(option.names())).filter(name -> name.startsWith("--")).map(EnvironmentVariables::variable)
            .collect(Collectors.toCollection(LinkedHashSet::new));
        List<String> sentences = new ArrayList<>();
        for (String variable : values.keySet()) {
            if (!known.contains(variable)) {
                String nearest = Nearest.to(variable, known);
                sentences.add("The environment variable " + variable + " belongs to no option"
                    + (nearest == null ? "." : "; did you mean " + nearest + "?"));
            }
        }
        return sentences;
    }

    private static boolean isForAllCommands(OptionSpec option) {
        return option.usageHelp() || option.versionHelp();
    }
}
