package io.brokermeter.experiment.table;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

import io.brokermeter.experiment.Binder;
import org.jspecify.annotations.Nullable;

/**
 * A key of a scenario file.
 *
 * @param name name of the key; empty for a setting that has options only
 * @param form form of its value
 * @param otherwise the default, in words or as a value; empty for none
 * @param doc meaning of the key, in whole sentences
 * @param options options of the commands that set the key; the first gives it its name in sentences
 * @param choices words that are allowed as a {@link ValueSyntax#CHOICE}
 * @param section keys below it, for a {@link ValueSyntax#SECTION}
 * @param several whether a list of values may be given in place of one
 * @param hints other names that users may write for it
 * @param target component of the scenario that its value sets; null where a reader such as {@link Binder} reads it by name
 */
public record Key(
        String name, ValueSyntax form, String otherwise, String doc, List<Option> options, List<String> choices, @Nullable Section section,
        boolean several, List<String> hints, @Nullable Target<?, ?> target) {

    /**
     * A component of the scenario that a key sets.
     *
     * @param <D> type of the draft that has the component
     * @param <T> type of the component
     * @param draft class of the draft
     * @param reader converts the text of the key to the component; throws UsageException
     * @param setter sets the component in a draft
     */
    record Target<D, T>(Class<D> draft, Function<String, T> reader, BiConsumer<D, T> setter) {}

    public static Key of(String name, ValueSyntax form, String otherwise, String doc) {
        return new Key(name, form, otherwise, doc, List.of(), List.of(), null, false, List.of(), null);
    }

    static Key choice(String name, String otherwise, String doc, String... choices) {
        return new Key(name, ValueSyntax.CHOICE, otherwise, doc, List.of(), List.of(choices), null, false, List.of(), null);
    }

    static Key section(String name, Section section, String otherwise, String doc) {
        return new Key(name, ValueSyntax.SECTION, otherwise, doc, List.of(), List.of(), section, false, List.of(), null);
    }

    /** Creates a setting that has an option, but no key in a file. */
    static Key option(String names, int order, OptionSyntax reading, String label, String otherwise, String doc) {
        return of("", ValueSyntax.TEXT, otherwise, doc).option(order, names, reading, label, null);
    }

    Key inList() {
        return new Key(name, form, otherwise, doc, options, choices, section, true, hints, target);
    }

    /** Returns this key with an additional option that sets it, whose default is the key's. */
    Key option(int order, String names, OptionSyntax reading, String label) {
        return option(order, names, reading, label, otherwise);
    }

    /**
     * Returns this key with an additional option that sets it, whose help is the key's description.
     *
     * @param without default of the option, null for none
     */
    Key option(int order, String names, OptionSyntax reading, String label, @Nullable String without) {
        List<Option> all = new ArrayList<>(options);
        String help = doc.replace('`', '\'') + (reading.hint().isEmpty() ? "" : " " + reading.hint());
        String absent = without != null ? "${DEFAULT-VALUE}" : reading == OptionSyntax.FLAG ? "off" : otherwise;
        all.add(new Option(order, names, reading, label, without, help + " Default: " + absent + "."));
        return with(all);
    }

    /** Returns this key with another help text of the last option; the default value is appended unless the text names a default. */
    Key help(String text) {
        List<Option> all = new ArrayList<>(options);
        all.add(all.removeLast().help(text));
        return with(all);
    }

    /** Returns this key with the last option below another heading of the help than that of its section. */
    Key under(String heading) {
        List<Option> all = new ArrayList<>(options);
        all.add(all.removeLast().under(heading));
        return with(all);
    }

    /** Returns this key with the last option for some commands alone. */
    Key only(Option.Where where) {
        List<Option> all = new ArrayList<>(options);
        all.add(all.removeLast().only(where));
        return with(all);
    }

    private Key with(List<Option> all) {
        return new Key(name, form, otherwise, doc, List.copyOf(all), choices, section, several, hints, target);
    }

    Key hints(String... words) {
        return new Key(name, form, otherwise, doc, options, choices, section, several, List.of(words), target);
    }

    /** Returns this key with the component of the scenario that its value sets. */
    <D, T> Key sets(Class<D> draft, Function<String, T> reader, BiConsumer<D, T> setter) {
        return new Key(name, form, otherwise, doc, options, choices, section, several, hints, new Target<>(draft, reader, setter));
    }

    /** Returns the keys below this key, which must have a section. */
    public Section below() {
        if (section == null) {
            throw new IllegalStateException(name);
        }
        return section;
    }
}
