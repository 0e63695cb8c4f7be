package io.brokermeter.cli.options;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.brokermeter.cli.Main;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.experiment.table.OptionSyntax;
import io.brokermeter.reports.table.TableView;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.trials.CommandContext;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.ObservationRequest;
import io.brokermeter.trials.sweep.SweepRun;
import io.brokermeter.trials.worker.WorkerLauncher;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** The values of a command's options from the table of settings. An option that the command does not have has no value. */
public record OptionValues(CommandSpec spec) {

    private <T> @Nullable T value(String option) {
        OptionSpec given = spec.findOption(option);
        return given == null ? null : given.getValue();
    }

    /** Returns the value of an option in the form of a scenario file; null for none. */
    public @Nullable String text(String option) {
        return value(option);
    }

    /** Returns the value of an option as it was written on the command line or in the environment; else {@link #text}. */
    String written(String option) {
        OptionSpec given = spec.findOption(option);
        EnvironmentVariables environment = environment();
        List<String> typed = given == null || !isTyped(option) ? List.of() : given.originalStringValues();
        String variable = given == null || environment == null ? null : environment.defaultValue(given);
        return !typed.isEmpty() ? typed.getLast() : variable != null ? variable : String.valueOf(text(option));
    }

    public @Nullable Path path(String option) {
        return value(option);
    }

    public List<String> list(String option) {
        List<String> all = value(option);
        return all == null ? List.of() : all;
    }

    /**
     * Returns the values of an option of the form {@code NAME=VALUE}, in their order.
     *
     * @throws UsageException for a value without a name or without {@code =}, and for a name that is given twice
     */
    public Map<String, String> named(String option) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String text : list(option)) {
            int equals = text.indexOf('=');
            if (equals < 1) {
                throw new UsageException(option + " needs NAME=VALUE, not '" + (equals < 0 ? text : "=...") + "'.");
            }
            if (values.put(text.substring(0, equals), text.substring(equals + 1)) != null) {
                throw new UsageException(option + " gives " + text.substring(0, equals) + " twice.");
            }
        }
        return values;
    }

    public boolean isOn(String flag) {
        return Boolean.TRUE.equals(value(flag));
    }

    /** Returns whether the option was given on the command line itself, not in the environment. */
    public boolean isTyped(String option) {
        ParseResult parsed = spec.commandLine().getParseResult();
        return parsed != null && parsed.hasMatchedOption(option);
    }

    /** Returns whether the command line or the environment sets the option; a flag that the environment turns off is not set. */
    public boolean isSet(OptionSpec option) {
        ParseResult parsed = spec.commandLine().getParseResult();
        EnvironmentVariables environment = environment();
        return parsed.hasMatchedOption(option)
            || environment != null && environment.source(option) != null && !Boolean.FALSE.equals(option.getValue());
    }

    private @Nullable EnvironmentVariables environment() {
        return spec.commandLine().getParseResult().commandSpec().defaultValueProvider() instanceof EnvironmentVariables all ? all : null;
    }

    /** Returns whether the command line or the environment sets the option; false for an option that this command does not have. */
    public boolean isSet(Option option) {
        OptionSpec found = spec.findOption(option.name());
        return found != null && isSet(found);
    }

    /**
     * Returns the keys of scenario files that options set: those about agents, and of others those on the command line itself, since
     * variables are meant for the commands that describe a run by options alone.
     */
    public List<Changes.Set> keys() {
        return Stream.concat(SettingOptions.ofAgents().stream().filter(this::isSet), SettingOptions.ofFiles().stream()
            .filter(option -> isTyped(option.name()))).flatMap(option -> keys(option).stream()).toList();
    }

    /** Returns the keys of its trials that options on the command line of {@code window} set, each as {@code path=value}. */
    public List<String> windowKeys() {
        return SettingOptions.ofWindowKeys().stream().filter(option -> isTyped(option.name())).flatMap(option -> keys(option).stream())
            // The trials vary the load of the file, which that of a group replaces.
            .map(key -> (key.path().startsWith("load.") ? "producers." : "") + key.path() + "='" + key.text().replace("'", "''") + "'")
            .toList();
    }

    private List<Changes.Set> keys(Option option) {
        String name = option.name();
        Map<String, String> values = switch (option.reading()) {
            case FLAG, NO -> Map.of("", Boolean.toString(option.reading() == OptionSyntax.FLAG));
            case NAMED -> named(name);
            case PATH -> Map.of("", String.valueOf(Objects.requireNonNull(path(name)).toAbsolutePath()));
            default -> Map.of("", String.valueOf(text(name)));
        };
        return values.entrySet().stream().map(one -> new Changes.Set(option.path() + (one.getKey().isEmpty() ? "" : "." + one.getKey()),
            one.getValue(), name, !isTyped(name))).toList();
    }

    /** Returns the options of {@code some} that the command line itself has, by their names. */
    public List<String> typed(List<Option> some) {
        return some.stream().map(Option::name).filter(this::isTyped).toList();
    }

    /**
     * Returns whether a variable that sets this option has no effect, since it is about agents and there are none. Such a variable may be
     * meant for another command: {@code agent} has a {@code --key}, too.
     */
    public boolean isVariableWithoutAgents(Option option) {
        return option.heading().equals(SettingOptions.AGENTS) && !isTyped(option.name()) && text("--agents") == null;
    }

    /**
     * Returns the password of all users without a password of their own; null for none.
     *
     * @throws UsageException for a password that cannot be read, and for two of them
     */
    public @Nullable Secret password() {
        List<String> login = SettingOptions.below("Login").stream().map(Option::name).toList();
        Contradictions.refuse(spec, arg -> arg instanceof OptionSpec option && login.contains(option.longestName()) && isSet(option));
        return Passwords.resolve(text("--password"), path("--password-file"), "--password");
    }

    /**
     * Returns the settings that all trials of a sweep share.
     *
     * @throws UsageException for a broker under test that cannot be observed in the requested way, and for a password that cannot be read
     */
    public SweepRun.Settings settings(Drivers drivers, TableView tables, PrintStream out, PrintStream err) {
        ObservationRequest request = watching();
        request.observation();
        return new SweepRun.Settings(drivers, password(), request, tables, isOn("--i-own-this-broker"),
            new CommandContext(WorkerLauncher.here(Main.class), out, err, isOn("--silent")));
    }

    /** Returns what the options ask to observe at the broker under test. */
    public ObservationRequest watching() {
        return new ObservationRequest(text("--broker-pid"), text("--broker-jmx"), text("--broker-metrics"), list("--broker-metric"));
    }
}
