package io.brokermeter.cli.options;

import java.nio.file.Files;
import java.nio.file.Path;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.ArgumentTree;
import io.brokermeter.experiment.access.BrokerChoice;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.experiment.table.OptionSyntax;
import io.brokermeter.trials.Throwaway;
import org.jspecify.annotations.Nullable;

/** Creates the throwaway broker that options describe. */
public final class Throwaways {

    public static final String HEADING = "Throwaway broker";

    private Throwaways() {}

    /**
     * Returns the broker, after all checks that are possible without fetching or starting anything.
     *
     * @param name name of the broker, which may have a version, or null for the default broker
     * @throws UsageException for what the user must change
     */
    public static Throwaway of(OptionValues values, @Nullable String name) {
        ArgumentTree tree = new ArgumentTree();
        tree.set("broker.name", name == null ? Broker.names().getFirst() : name, "--broker");
        for (Option option : SettingOptions.below(HEADING)) {
            if (!option.path().isEmpty() && values.isSet(option)) {
                set(tree, option, values);
            }
        }
        BrokerChoice choice = tree.broker();
        Path directory = values.path("--broker-directory");
        if (directory != null && Files.exists(directory) && !Files.isDirectory(directory)) {
            throw new UsageException("--broker-directory " + directory + " is not a directory.");
        }
        BrokerOptions options = choice.options().withKeep(values.isOn("--keep-broker"))
            .withDirectory(directory == null ? BrokerOptions.newDirectory() : directory.toAbsolutePath().normalize());
        return new Throwaway(choice.name(), options, options.keep() || options.directory().filter(Files::exists).isPresent());
    }

    /** Sets the key of an option to the option's value. */
    public static void set(ArgumentTree tree, Option option, OptionValues values) {
        String name = option.name();
        switch (option.reading()) {
            case FLAG, NO -> tree.set(option.path(), Boolean.toString(option.reading() == OptionSyntax.FLAG), name);
            case NAMED -> tree.set(option.path(), values.named(name), name);
            case LIST -> tree.set(option.path(), values.list(name), name);
            case PATH -> tree.set(option.path(), String.valueOf(values.path(name)), name);
            default -> tree.set(option.path(), String.valueOf(values.text(name)), values.written(name), name);
        }
    }
}
