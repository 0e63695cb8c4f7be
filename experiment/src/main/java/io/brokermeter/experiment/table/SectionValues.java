package io.brokermeter.experiment.table;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.tree.Tree;
import org.jspecify.annotations.Nullable;

/**
 * The values of one section of a file that was validated.
 *
 * @param section keys of the section
 * @param fields values as they were written
 * @param path path of the section, empty for the whole file
 * @param base directory from which relative paths start
 * @param complaints the errors to which mistakes are added
 */
public record SectionValues(Section section, Tree.Fields fields, String path, Path base, FileErrors complaints) {

    /** Returns the text of a key, or null when the key has no value. */
    public @Nullable String text(String name) {
        Tree.Leaf leaf = leaf(name);
        return leaf == null ? null : leaf.text();
    }

    private Tree.@Nullable Leaf leaf(String name) {
        return fields.get(known(name)) instanceof Tree.Leaf leaf && !leaf.isNothing() ? leaf : null;
    }

    /** Returns the text of a key as the user wrote it; {@code otherwise} when the key has no value. */
    public String written(String name, String otherwise) {
        Tree.Leaf leaf = leaf(name);
        return leaf == null ? otherwise : leaf.written();
    }

    public String text(String name, String otherwise) {
        String text = text(name);
        return text == null ? otherwise : text;
    }

    /** Parses the text of a key; returns {@code otherwise} where there is none, and after a mistake, which is added to the errors. */
    public <T> T read(String name, T otherwise, Function<String, T> reader) {
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

    /** Parses the text of a key, or the key's default where there is no text; a mistake is added to the errors. */
    public <T> T read(String name, Function<String, T> reader) {
        return read(name, reader.apply(key(name).otherwise()), reader);
    }

    /** Sets the components of a draft whose keys have values and have their {@linkplain Key#target target} in it; others stay unchanged. */
    public void fill(Object draft) {
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

    public boolean flag(String name) {
        return read(name, false, ValueSyntax::flag);
    }

    public int number(String name, int otherwise) {
        return read(name, otherwise, ValueSyntax::whole);
    }

    public boolean has(String name) {
        Tree tree = fields.get(known(name));
        return !Tree.isNothing(tree);
    }

    /** Returns the values below a key whose section is not a list; null when the key has no value, or is switched off. */
    public @Nullable SectionValues below(String name) {
        Tree tree = fields.get(known(name));
        return tree == null || !has(name) ? null : of(name, tree, name);
    }

    /**
     * Returns the values of an item of a key that may have several; null when it is switched off, or is nothing that has keys.
     *
     * @param label the key, with the number of the item in a list
     */
    public @Nullable SectionValues of(String name, Tree tree, String label) {
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

    /** Returns the names below a key with their texts, without names that have no value. */
    public Map<String, String> texts(String name) {
        Map<String, String> all = new LinkedHashMap<>();
        if (fields.get(known(name)) instanceof Tree.Fields texts) {
            texts.fields().forEach((key, field) -> {
                if (field.value() instanceof Tree.Leaf leaf && !leaf.isNothing()) {
                    all.put(key, leaf.text());
                }
            });
        }
        return all;
    }

    /** Returns the name of a key of this section in sentences: the key itself, or the option that sets it. */
    public String name(String name) {
        if (!complaints.areOptions()) {
            return "'" + name + "'";
        }
        Tree tree = fields.get(known(name));
        return tree != null ? tree.location().toString()
            : Option.all().stream().filter(option -> option.path().equals(full(name))).findFirst()
                .map(Option::name).orElse(name);
    }

    /** Returns the name of a key of this section in sentences, with its value where it was set by an option. */
    public String given(String name) {
        return complaints.areOptions() ? name(name) + " " + written(name, "") : name(name);
    }

    /** Adds a mistake in the value of a key. */
    public void wrong(String name, String sentence) {
        Tree.Field field = fields.fields().get(name);
        complaints.about(field == null ? fields.location() : field.value().location(), full(name), written(name, ""), sentence);
    }

    private String full(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    /** Adds a mistake in the whole section. */
    public void wrong(String sentence) {
        complaints.about(fields.location(), path, sentence);
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
