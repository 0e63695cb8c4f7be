package io.brokermeter.experiment;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A key of a scenario file.
 *
 * @param name as it is written; empty for a setting that has options only
 * @param form what its value must look like
 * @param otherwise what holds without it, in words or as a value; empty for nothing
 * @param doc what it means, in whole sentences
 * @param options the options of the commands that set it; the first gives it the name for sentences
 * @param choices the words that a {@link Form#CHOICE} may be
 * @param section the keys below it, for a {@link Form#SECTION}
 * @param several whether a list of values may stand in place of one
 * @param hints other words that people may write for it
 */
record Key(
        String name, Form form, String otherwise, String doc, List<Option> options, List<String> choices, @Nullable Section section,
        boolean several, List<String> hints) {

    static Key of(String name, Form form, String otherwise, String doc) {
        return new Key(name, form, otherwise, doc, List.of(), List.of(), null, false, List.of());
    }

    static Key choice(String name, String otherwise, String doc, String... choices) {
        return new Key(name, Form.CHOICE, otherwise, doc, List.of(), List.of(choices), null, false, List.of());
    }

    static Key section(String name, Section section, String otherwise, String doc) {
        return new Key(name, Form.SECTION, otherwise, doc, List.of(), List.of(), section, false, List.of());
    }

    /** A setting that no file has. */
    static Key option(String names, int order, Reading reading, String label, String otherwise, String doc) {
        return of("", Form.TEXT, otherwise, doc).option(order, names, reading, label, null);
    }

    Key inList() {
        return new Key(name, form, otherwise, doc, options, choices, section, true, hints);
    }

    /** With an option that sets it; its help is the key's sentence. */
    Key option(int order, String names, Reading reading, String label, @Nullable String without) {
        List<Option> all = new ArrayList<>(options);
        String help = doc.replace('`', '\'') + (reading.hint().isEmpty() ? "" : " " + reading.hint());
        String absent = without != null ? "${DEFAULT-VALUE}" : reading == Reading.FLAG ? "off" : otherwise;
        all.add(new Option(order, names, reading, label, without, help + " Default: " + absent + "."));
        return with(all);
    }

    /** With another help text for the last option, which ends in its default where it has no default value. */
    Key help(String text) {
        List<Option> all = new ArrayList<>(options);
        all.add(all.removeLast().help(text));
        return with(all);
    }

    /** With the last option for some commands alone. */
    Key only(Option.Where where) {
        List<Option> all = new ArrayList<>(options);
        all.add(all.removeLast().only(where));
        return with(all);
    }

    private Key with(List<Option> all) {
        return new Key(name, form, otherwise, doc, List.copyOf(all), choices, section, several, hints);
    }

    Key hints(String... words) {
        return new Key(name, form, otherwise, doc, options, choices, section, several, List.of(words));
    }

    /** The keys below it. */
    Section below() {
        if (section == null) {
            throw new IllegalStateException(name);
        }
        return section;
    }
}
