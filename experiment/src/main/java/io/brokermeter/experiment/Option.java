package io.brokermeter.experiment;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.spi.Setting;
import org.jspecify.annotations.Nullable;

/**
 * An option of the commands that says what a key of a file says. Its environment variable follows from its names.
 *
 * @param path of the key
 * @param order its place among those that stand together in the help
 * @param names all of them; the first long one is its name in sentences
 * @param label of its value in the help
 * @param otherwise the text that holds without it, or null for none
 * @param doc what it means, as the help says it
 * @param where which commands have it
 */
public record Option(
        String path, int order, List<String> names, Reading reading, String label, @Nullable String otherwise, String doc,
        Where where) {

    /** Among the commands to which the key makes sense. */
    public enum Where {
        ALL,
        /** One that receives only. */
        LONE,
        /** One that sends and receives. */
        PAIRED
    }

    /** Every one, in the order of the keys. */
    public static List<Option> all() {
        List<Option> all = new ArrayList<>();
        KeyTable.sections().forEach((path, section) -> section.keys().forEach(key -> key.options().forEach(option ->
                all.add(new Option(path.isEmpty() ? key.name() : path + "." + key.name(), option.order, option.names, option.reading,
                        option.label, option.otherwise, option.doc, option.where)))));
        return all;
    }

    /** The option that says what a setting says. */
    public static String of(Setting setting) {
        int dot = setting.path().lastIndexOf('.');
        Section section = KeyTable.sections().get(dot < 0 ? "" : setting.path().substring(0, dot));
        Key key = section == null ? null : section.find(setting.path().substring(dot + 1));
        if (key == null || key.option().isEmpty()) {
            throw new IllegalArgumentException(setting + " has no option");
        }
        return key.option();
    }

    /** Its name in sentences. */
    public String name() {
        return names.stream().filter(name -> name.startsWith("--")).findFirst().orElseThrow();
    }

    Option only(Where commands) {
        return new Option(path, order, names, reading, label, otherwise, doc, commands);
    }
}
