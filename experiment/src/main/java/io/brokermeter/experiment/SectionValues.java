package io.brokermeter.experiment;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

import io.brokermeter.engine.scenario.UsageException;
import org.jspecify.annotations.Nullable;

/**
 * The values of one section of a file that was validated.
 *
 * @param section its keys
 * @param fields what was written
 * @param path of the section, empty for the whole file
 * @param base the directory that relative paths start from
 * @param complaints where mistakes go
 */
record SectionValues(Section section, Tree.Fields fields, String path, Path base, FileErrors complaints) {

    /** The text of a key, or null when nothing is written. */
    @Nullable String text(String name) {
        Tree.Leaf leaf = leaf(name);
        return leaf == null ? null : leaf.text();
    }

    private Tree.@Nullable Leaf leaf(String name) {
        return fields.get(known(name)) instanceof Tree.Leaf leaf && !leaf.isNothing() ? leaf : null;
    }

    /** The text of a key as its user wrote it. */
    String written(String name, String otherwise) {
        Tree.Leaf leaf = leaf(name);
        return leaf == null ? otherwise : leaf.written();
    }

    String text(String name, String otherwise) {
        String text = text(name);
        return text == null ? otherwise : text;
    }

    /** What a reader makes of the text of a key; its mistakes go to the errors. */
    <T> T read(String name, T otherwise, Function<String, T> reader) {
        String text = text(name);
        if (text == null) {
            return otherwise;
        }
        try {
            return reader.apply(text);
        } catch (UsageException e) {
            String sentence = Validator.sentence(e);
            wrong(name, complaints.areOptions() && Character.isUpperCase(sentence.charAt(0)) ? name(name) + ": " + sentence : sentence);
            return otherwise;
        }
    }

    /** The same, of the key's default where nothing is written. */
    <T> T read(String name, Function<String, T> reader) {
        return read(name, reader.apply(key(name).otherwise()), reader);
    }

    /** Sets in a draft what is written and has its {@linkplain Key#target target} there; everything else stays as it is. */
    void fill(Object draft) {
        for (Key key : section.keys()) {
            Key.Target<?, ?> target = key.target();
            if (target != null && target.draft().isInstance(draft)) {
                set(key.name(), target, draft);
            }
        }
    }

    private <D, T> void set(String name, Key.Target<D, T> target, Object draft) {
        read(name, Optional.<T>empty(), text -> Optional.of(target.reader().apply(text)))
            .ifPresent(value -> target.setter().accept(target.draft().cast(draft), value));
    }

    boolean flag(String name) {
        return read(name, false, ValueSyntax::flag);
    }

    int number(String name, int otherwise) {
        return read(name, otherwise, ValueSyntax::whole);
    }

    boolean has(String name) {
        Tree tree = fields.get(known(name));
        return tree != null && !(tree instanceof Tree.Leaf leaf && leaf.isNothing());
    }

    /** The values below a key whose section is not a list; null when nothing is written, or when it is switched off. */
    @Nullable SectionValues below(String name) {
        Tree tree = fields.get(known(name));
        return tree == null || !has(name) ? null : of(name, tree, name);
    }

    /** One of the things that stand at a key that may have several. */
    @Nullable SectionValues of(String name, Tree tree, String label) {
        Key key = section.find(name);
        Section below = key == null ? section : key.below();
        String full = path.isEmpty() ? label : path + "." + label;
        if (tree instanceof Tree.Leaf leaf && below.switched() && leaf.text().equals("false")) {
            return null;
        }
        Tree.Fields meant = switch (tree) {
            case Tree.Fields known -> known;
            case Tree.Leaf leaf -> below.expand(leaf);
            case Tree.Items list -> below.expand(list);
        };
        return meant == null ? null : new SectionValues(below, meant, full, base, complaints);
    }

    /** Names with texts. */
    Map<String, String> texts(String name) {
        Map<String, String> all = new LinkedHashMap<>();
        if (fields.get(known(name)) instanceof Tree.Fields texts) {
            texts.fields().forEach((key, field) -> {
                if (field.value() instanceof Tree.Leaf leaf) {
                    all.put(key, leaf.text());
                }
            });
        }
        return all;
    }

    /** How a sentence names a key of this section: as the key, or as the option that stands for it. */
    String name(String name) {
        if (!complaints.areOptions()) {
            return "'" + name + "'";
        }
        Tree tree = fields.get(known(name));
        return tree != null ? tree.place().toString() : Option.all().stream().filter(option -> option.path().equals(full(name))).findFirst()
            .map(Option::name).orElse(name);
    }

    /** The same with its value where that is an option's. */
    String given(String name) {
        return complaints.areOptions() ? name(name) + " " + written(name, "") : name(name);
    }

    /** A mistake in the value of a key. */
    void wrong(String name, String sentence) {
        Tree.Field field = fields.fields().get(name);
        complaints.about(field == null ? fields.place() : field.value().place(), full(name), written(name, ""), sentence);
    }

    private String full(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    /** A mistake in the whole section. */
    void wrong(String sentence) {
        complaints.about(fields.place(), path, sentence);
    }

    private String known(String name) {
        return key(name).name();
    }

    private Key key(String name) {
        Key key = section.find(name);
        if (key == null) {
            throw new IllegalStateException("No key " + name + " in " + section.name());
        }
        return key;
    }
}
