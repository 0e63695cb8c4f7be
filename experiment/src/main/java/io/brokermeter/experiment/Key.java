package io.brokermeter.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * A key of a scenario file.
 *
 * @param name as it is written; empty for a setting that has options only
 * @param form what its value must look like
 * @param otherwise what holds without it, in words or as a value; empty for nothing
 * @param doc what it means, in whole sentences
 * @param options the options of the commands that set it; the first gives it the name for sentences
 * @param choices the words that a {@link ValueSyntax#CHOICE} may be
 * @param section the keys below it, for a {@link ValueSyntax#SECTION}
 * @param several whether a list of values may stand in place of one
 * @param hints other words that people may write for it
 * @param target where its value goes; null where a reader such as {@link Binder} asks for it by name
 */
record Key(
        String name, ValueSyntax form, String otherwise, String doc, List<Option> options, List<String> choices, @Nullable Section section,
        boolean several, List<String> hints, @Nullable Target<?, ?> target) {

    /**
     * A component of the scenario.
     *
     * @param <D> what it is set in
     * @param <T> its type
     * @param draft what it is set in
     * @param reader makes it of the text of a key; throws UsageException
     * @param setter sets it
     */
    record Target<D, T>(Class<D> draft, Function<String, T> reader, BiConsumer<D, T> setter) {}

    static Key of(String name, ValueSyntax form, String otherwise, String doc) {
        return new Key(name, form, otherwise, doc, List.of(), List.of(), null, false, List.of(), null);
    }

    static Key choice(String name, String otherwise, String doc, String... choices) {
        return new Key(name, ValueSyntax.CHOICE, otherwise, doc, List.of(), List.of(choices), null, false, List.of(), null);
    }

    static Key section(String name, Section section, String otherwise, String doc) {
        return new Key(name, ValueSyntax.SECTION, otherwise, doc, List.of(), List.of(), section, false, List.of(), null);
    }

    /** A setting that no file has. */
    static Key option(String names, int order, OptionSyntax reading, String label, String otherwise, String doc) {
        return of("", ValueSyntax.TEXT, otherwise, doc).option(order, names, reading, label, null);
    }

    Key inList() {
        return new Key(name, form, otherwise, doc, options, choices, section, true, hints, target);
    }

    /** With an option that sets it, whose default is the key's. */
    Key option(int order, String names, OptionSyntax reading, String label) {
        return option(order, names, reading, label, otherwise);
    }

    /**
     * With an option that sets it; its help is the key's sentence.
     *
     * @param without its default, null for none
     */
    Key option(int order, String names, OptionSyntax reading, String label, @Nullable String without) {
        List<Option> all = new ArrayList<>(options);
        String help = doc.replace('`', '\'') + (reading.hint().isEmpty() ? "" : " " + reading.hint());
        String absent = without != null ? "${DEFAULT-VALUE}" : reading == OptionSyntax.FLAG ? "off" : otherwise;
        all.add(new Option(order, names, reading, label, without, help + " Default: " + absent + "."));
        return with(all);
    }

    /** With another help text for the last option, which ends in its default where it has no default value. */
    Key help(String text) {
        List<Option> all = new ArrayList<>(options);
        all.add(all.removeLast().help(text));
        return with(all);
    }

    /** With the last option below another heading of the help than that of its section. */
    Key under(String heading) {
        List<Option> all = new ArrayList<>(options);
        all.add(all.removeLast().under(heading));
        return with(all);
    }

    /** With the last option for some commands alone. */
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

    /** With the component of the scenario that it sets where it is written. */
    <D, T> Key sets(Class<D> draft, Function<String, T> reader, BiConsumer<D, T> setter) {
        return new Key(name, form, otherwise, doc, options, choices, section, several, hints, new Target<>(draft, reader, setter));
    }

    /** The keys below it. */
    Section below() {
        if (section == null) {
            throw new IllegalStateException(name);
        }
        return section;
    }
}
