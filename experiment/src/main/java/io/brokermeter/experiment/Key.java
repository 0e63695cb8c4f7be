package io.brokermeter.experiment;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A key of a scenario file.
 *
 * @param name as it is written
 * @param form what its value must look like
 * @param otherwise what holds without it, in words or as a value; empty for nothing
 * @param doc what it means, in whole sentences
 * @param option the option of the commands that says the same, empty for none
 * @param options the same option with all that the help says of it, possibly several; empty where the commands describe theirs
 * @param choices the words that a {@link Form#CHOICE} may be
 * @param section the keys below it, for a {@link Form#SECTION}
 * @param several whether a list of such values may stand in place of one
 * @param hints other words that people may write for it
 */
record Key(
        String name, Form form, String otherwise, String doc, String option, List<Option> options, List<String> choices,
        @Nullable Section section, boolean several, List<String> hints) {

    static Key of(String name, Form form, String otherwise, String doc) {
        return new Key(name, form, otherwise, doc, "", List.of(), List.of(), null, false, List.of());
    }

    static Key choice(String name, String otherwise, String doc, String... choices) {
        return new Key(name, Form.CHOICE, otherwise, doc, "", List.of(), List.of(choices), null, false, List.of());
    }

    static Key section(String name, Section section, String otherwise, String doc) {
        return new Key(name, Form.SECTION, otherwise, doc, "", List.of(), List.of(), section, false, List.of());
    }

    Key inList() {
        return new Key(name, form, otherwise, doc, option, options, choices, section, true, hints);
    }

    Key option(String text) {
        return new Key(name, form, otherwise, doc, text, options, choices, section, several, hints);
    }

    /** With one of the options that say the same; the first gives it the name for sentences. */
    Key option(int order, String names, Reading reading, String label, @Nullable String without, String help) {
        List<Option> all = new ArrayList<>(options);
        all.add(new Option("", order, List.of(names.split(" ")), reading, label, without, help, Option.Where.ALL));
        return new Key(name, form, otherwise, doc, all.getFirst().name(), List.copyOf(all), choices, section, several, hints);
    }

    /** With the last option for some commands alone. */
    Key only(Option.Where where) {
        List<Option> all = new ArrayList<>(options);
        all.add(all.removeLast().only(where));
        return new Key(name, form, otherwise, doc, option, List.copyOf(all), choices, section, several, hints);
    }

    Key hints(String... words) {
        return new Key(name, form, otherwise, doc, option, options, choices, section, several, List.of(words));
    }

    /** The keys below it. */
    Section below() {
        if (section == null) {
            throw new IllegalStateException(name);
        }
        return section;
    }
}
