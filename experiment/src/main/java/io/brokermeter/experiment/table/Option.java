package io.brokermeter.experiment.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.NoSuchElementException;

import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * An option of the commands. Its environment variables follow from its names.
 *
 * @param path path of the key that it sets, empty for none
 * @param heading heading above it in the help; empty, until the option is placed, for that of its section
 * @param order position below the heading
 * @param names all names; the first long one is its name in sentences
 * @param reading syntax of its value
 * @param label label of its value in the help
 * @param otherwise default value, or null for none
 * @param doc description in the help
 * @param where the commands that have it
 */
public record Option(
        String path, String heading, int order, List<String> names, OptionSyntax reading, String label, @Nullable String otherwise,
        String doc, Where where) {

    /** The commands that have an option, among those for which its key makes sense. */
    public enum Where {
        ALL,
        /** The commands that run a load, not those that only start a broker. */
        RUNS,
        /** The commands that only receive. */
        LONE,
        /** The commands that send; for options of consumers, those that also receive. */
        PAIRED
    }

    /** Creates an option of all commands that is not placed yet; {@code names} are separated by blanks. */
    Option(int order, String names, OptionSyntax reading, String label, @Nullable String otherwise, String doc) {
        this("", "", order, List.of(names.split(" ")), reading, label, otherwise, doc, Where.ALL);
    }

    /** All options, made once from the table: a command line needs them several times before its command begins. */
    private static final class All {

        static final List<Option> OPTIONS = made();

        private static List<Option> made() {
            List<Option> all = new ArrayList<>();
            KeyTable.sections().forEach((path, section) -> section.keys().forEach(key -> {
                String full = path.isEmpty() ? key.name() : path + "." + key.name();
                key.options().forEach(option -> all.add(option.at(full, section.heading())));
            }));
            KeyTable.COMMANDS.forEach((heading, keys) -> keys.forEach(key -> all.add(key.options().getFirst().at("", heading))));
            return List.copyOf(all);
        }
    }

    /** Returns all options: those of keys, in the order of the keys, then those without a key. */
    public static List<Option> all() {
        return All.OPTIONS;
    }

    /** Returns the name of the option for a setting. */
    public static String of(Setting setting) {
        String alone = "--" + setting.name().toLowerCase(Locale.ROOT).replace('_', '-');
        return all().stream().filter(option -> setting.path().isEmpty() ? option.names.contains(alone)
            : option.path.equals(setting.path())).findFirst().map(Option::name)
            .orElseThrow(() -> new IllegalArgumentException(setting + " has no option"));
    }

    /** Returns the name of a setting in sentences about a file: its key, or its option where it has no key. */
    public static String inFile(Setting setting) {
        return setting.path().isEmpty() ? of(setting) : setting.key();
    }

    /** Returns the option's name in sentences: its first long name. */
    public String name() {
        for (String name : names) {
            if (name.startsWith("--")) {
                return name;
            }
        }
        throw new NoSuchElementException(path);
    }

    /** Returns this option with its key, below a heading unless it has one of its own. */
    private Option at(String key, String group) {
        return new Option(key, heading.isEmpty() ? group : heading, order, names, reading, label, otherwise, doc, where);
    }

    Option help(String text) {
        return new Option(path, heading, order, names, reading, label, otherwise,
            text.contains("Default: ") ? text : text + " Default: ${DEFAULT-VALUE}.", where);
    }

    /** Returns this option with another default in its help; the option's value is not changed. */
    public Option withDefaultInHelp(String text) {
        int end = doc.lastIndexOf("Default: ");
        return new Option(path, heading, order, names, reading, label, otherwise,
            (end < 0 ? doc + " " : doc.substring(0, end)) + "Default: " + text + ".", where);
    }

    Option under(String own) {
        return new Option(path, own, order, names, reading, label, otherwise, doc, where);
    }

    Option only(Where commands) {
        return new Option(path, heading, order, names, reading, label, otherwise, doc, commands);
    }
}
