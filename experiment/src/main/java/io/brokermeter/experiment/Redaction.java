package io.brokermeter.experiment;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.regex.Pattern;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.UrlLogin;

/**
 * Takes passwords out of what is kept and printed: those of clients' and brokers' own parameters, and those in URLs. Headers, labels and names of groups
 * are no parameters, whatever they are called.
 */
final class Redaction {

    /** What stands in place of a password; another one at the same place of a sweep has a number behind it, from 2. */
    static final String MASK = "***";

    /** What may be a mask. */
    static final String MASKS = "\\*\\*\\*[0-9]*";

    private static final Pattern MASKED = Pattern.compile(MASKS);

    private static final String SWEEP = "sweep";
    private static final String PUBLISHED = "published";

    /** The file without what varies, and without passwords. */
    private final Tree.Fields plain;
    /** What stands for each password, by the path of what varies and the name of the parameter. */
    private final Map<String, Map<String, Map<String, String>>> masks = new HashMap<>();

    /** Of a file that may vary something, where trials whose passwords alone differ stay apart. */
    Redaction(Tree.Fields file) {
        plain = of(file.without(SWEEP).without(PUBLISHED));
        Tree sweep = file.get(SWEEP);
        if (sweep != null) {
            sweep(sweep);
        }
    }

    /** A file that varies nothing. */
    static Tree.Fields of(Tree.Fields file) {
        return section(KeyTable.FILE, file, Redaction::masked);
    }

    @SuppressWarnings("unused") // the name of the parameter counts where something varies
    private static String masked(String name, String secret) {
        return isMask(secret) ? secret : MASK;
    }

    /** Whether a text stands in place of a password. */
    static boolean isMask(String text) {
        return MASKED.matcher(text).matches();
    }

    /** The whole file, in which other keys than what varies may have other values by now. */
    Tree.Fields whole(Tree.Fields file) {
        Tree.Fields all = of(file.without(SWEEP).without(PUBLISHED));
        return changed(file, (name, value) -> name.equals(SWEEP) ? sweep(value) : name.equals(PUBLISHED) ? published(value)
            : Objects.requireNonNullElse(all.get(name), value));
    }

    /** A value that is to be put at a path of some file. */
    static Tree alone(String path, Tree value) {
        try {
            Tree.Fields file = KeyPath.set(Tree.Fields.none(value.place()), path, value, value.place());
            return KeyPath.get(new Redaction(file).whole(file), path, value.place());
        } catch (UsageException e) {
            // A path that needs that file, or none at all.
            return parameter(path, value, Redaction::masked);
        }
    }

    /** A value that a key of the file has at some points of the sweep. */
    Tree at(String path, Tree value) {
        Map<String, Map<String, String>> known = masks.computeIfAbsent(path, _ -> new HashMap<>());
        BinaryOperator<String> mask = (name, secret) -> {
            if (isMask(secret)) {
                // One of another place of the file, or of a file that is read again.
                return secret;
            }
            Map<String, String> ofName = known.computeIfAbsent(name, _ -> new HashMap<>());
            int number = ofName.size() + 1;
            return ofName.computeIfAbsent(secret, _ -> number == 1 ? MASK : MASK + number);
        };
        try {
            return KeyPath.get(section(KeyTable.FILE, KeyPath.set(plain, path, value, value.place()), mask), path, value.place());
        } catch (UsageException e) {
            // It is refused later, in a sentence that may have the value in it.
            return parameter(path, value, mask);
        }
    }

    /** Lists of values by their paths, or a list of such. */
    private Tree sweep(Tree tree) {
        return switch (tree) {
            case Tree.Leaf leaf -> leaf;
            case Tree.Items list -> new Tree.Items(list.items().stream().map(this::sweep).toList(), list.place());
            case Tree.Fields block -> changed(block, (path, values) -> values instanceof Tree.Items list
                ? new Tree.Items(list.items().stream().map(value -> at(path, value)).toList(), list.place()) : values);
        };
    }

    /** Rows of figures with values by their paths. */
    private Tree published(Tree tree) {
        return switch (tree) {
            case Tree.Leaf leaf -> leaf;
            case Tree.Items list -> new Tree.Items(list.items().stream().map(this::published).toList(), list.place());
            case Tree.Fields row -> changed(row, (path, value) -> masks.containsKey(path) ? at(path, value) : value);
        };
    }

    private static Tree.Fields section(Section section, Tree.Fields fields, BinaryOperator<String> mask) {
        return changed(fields, (name, tree) -> {
            Key key = section.find(name);
            return key == null ? tree : key.form() == ValueSyntax.SECTION ? below(key.below(), tree, mask)
                : name.equals("properties") ? parameter(name, tree, mask)
                    : name.equals("url") && tree instanceof Tree.Leaf leaf ? url(leaf, mask) : tree;
        });
    }

    private static Tree below(Section section, Tree tree, BinaryOperator<String> mask) {
        return switch (tree) {
            case Tree.Leaf leaf -> leaf;
            case Tree.Items list -> new Tree.Items(list.items().stream().map(item -> below(section, item, mask)).toList(), list.place());
            case Tree.Fields fields -> section(section, fields, mask);
        };
    }

    private static Tree parameter(String name, Tree tree, BinaryOperator<String> mask) {
        return switch (tree) {
            case Tree.Fields fields -> changed(fields, (below, value) -> parameter(below, value, mask));
            case Tree.Items list -> new Tree.Items(list.items().stream().map(item -> parameter(name, item, mask)).toList(), list.place());
            case Tree.Leaf leaf when leaf.isNothing() -> leaf;
            case Tree.Leaf leaf when ConnectionSettings.isSecret(name) -> text(leaf, mask.apply(name, leaf.text()));
            case Tree.Leaf leaf -> name.toLowerCase(Locale.ROOT).endsWith("url") ? url(leaf, mask) : leaf;
        };
    }

    private static Tree.Leaf url(Tree.Leaf leaf, BinaryOperator<String> mask) {
        String url = leaf.text();
        try {
            UrlLogin.of(url);
        } catch (IllegalArgumentException e) {
            // Nobody knows where its password ends; it is refused later.
            return text(leaf, url.replaceAll("(?s)://.*@", "://" + MASK + "@"));
        }
        return text(leaf, ConnectionSettings.redacted(url, mask));
    }

    private static Tree.Leaf text(Tree.Leaf leaf, String text) {
        return text.equals(leaf.text()) ? leaf : new Tree.Leaf(text, leaf.quoted(), leaf.place());
    }

    private static Tree.Fields changed(Tree.Fields fields, BiFunction<String, Tree, Tree> change) {
        Map<String, Tree.Field> all = new LinkedHashMap<>();
        fields.fields().forEach((name, field) -> all.put(name, new Tree.Field(field.place(), change.apply(name, field.value()))));
        return new Tree.Fields(all, fields.place());
    }
}
