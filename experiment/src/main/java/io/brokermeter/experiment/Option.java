package io.brokermeter.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.brokermeter.spi.Setting;
import org.jspecify.annotations.Nullable;

/**
 * An option of the commands. Its environment variable follows from its names.
 *
 * @param path of the key that it sets, empty for none
 * @param heading it stands below in the help; empty for that of its section, as long as it has no place yet
 * @param order its place there
 * @param names all of them; the first long one is its name in sentences
 * @param label of its value in the help
 * @param otherwise the text that holds without it, or null for none
 * @param doc what it means, as the help says it
 * @param where which commands have it
 */
public record Option(
        String path, String heading, int order, List<String> names, OptionSyntax reading, String label, @Nullable String otherwise,
        String doc, Where where) {

    /** Among the commands to which the key makes sense. */
    public enum Where {
        ALL,
        /** One that runs a load, not one that only starts a broker. */
        RUNS,
        /** One that receives only. */
        LONE,
        /** One that sends and receives. */
        PAIRED
    }

    /** One that all commands have and that has no place yet, of names with blanks between them. */
    Option(int order, String names, OptionSyntax reading, String label, @Nullable String otherwise, String doc) {
        this("", "", order, List.of(names.split(" ")), reading, label, otherwise, doc, Where.ALL);
    }

    /** Every one, in the order of the keys, then those without a key. */
    public static List<Option> all() {
        List<Option> all = new ArrayList<>();
        KeyTable.sections().forEach((path, section) -> section.keys().forEach(key -> {
            String full = path.isEmpty() ? key.name() : path + "." + key.name();
            key.options().forEach(option -> all.add(option.at(full, section.heading())));
        }));
        KeyTable.COMMANDS.forEach((heading, keys) -> keys.forEach(key -> all.add(key.options().getFirst().at("", heading))));
        return all;
    }

    /** The option that says what a setting says. */
    public static String of(Setting setting) {
        String alone = "--" + setting.name().toLowerCase(Locale.ROOT).replace('_', '-');
        return all().stream().filter(option -> setting.path().isEmpty() ? option.names.contains(alone)
            : option.path.equals(setting.path())).findFirst().map(Option::name)
            .orElseThrow(() -> new IllegalArgumentException(setting + " has no option"));
    }

    /** How sentences about a file name a setting: by its key, or by its option where no file has it. */
    public static String inFile(Setting setting) {
        return setting.path().isEmpty() ? of(setting) : setting.key();
    }

    /** Its name in sentences. */
    public String name() {
        return names.stream().filter(name -> name.startsWith("--")).findFirst().orElseThrow();
    }

    /** In its place: below a heading, unless it has one of its own. */
    private Option at(String key, String group) {
        return new Option(key, heading.isEmpty() ? group : heading, order, names, reading, label, otherwise, doc, where);
    }

    Option help(String text) {
        return new Option(path, heading, order, names, reading, label, otherwise,
            text.contains("Default: ") ? text : text + " Default: ${DEFAULT-VALUE}.", where);
    }

    Option under(String own) {
        return new Option(path, own, order, names, reading, label, otherwise, doc, where);
    }

    Option only(Where commands) {
        return new Option(path, heading, order, names, reading, label, otherwise, doc, commands);
    }
}
