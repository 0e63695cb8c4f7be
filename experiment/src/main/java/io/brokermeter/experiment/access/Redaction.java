package io.brokermeter.experiment.access;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.regex.Pattern;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.table.Key;
import io.brokermeter.experiment.table.KeyPath;
import io.brokermeter.experiment.table.KeyTable;
import io.brokermeter.experiment.table.Section;
import io.brokermeter.experiment.table.ValueSyntax;
import io.brokermeter.experiment.tree.Tree;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.parameter.UrlLogin;

/**
 * Removes passwords from scenario files that are kept or printed: those of clients' and brokers' own parameters, and those in URLs.
 * Headers, labels and names of groups are not parameters, whatever they are called.
 */
public final class Redaction {

    /** The mask in place of a password; further passwords for the same key of a sweep have a number appended, from 2 on. */
    static final String MASK = "***";

    /** The regular expression of all masks. */
    static final String MASKS = "\\*\\*\\*[0-9]*";

    private static final Pattern MASKED = Pattern.compile(MASKS);

    private static final String SWEEP = "sweep";
    private static final String PUBLISHED = "published";

    /** The file without its sweep, its published figures and passwords. */
    private final Tree.Fields plain;
    /** The mask of each password, by the path of the key that varies and the name of the parameter. */
    private final Map<String, Map<String, Map<String, String>>> masks = new HashMap<>();

    /** Creates the redaction of a file that may have a sweep; trials that differ only in a password stay distinguishable. */
    public Redaction(Tree.Fields file) {
        plain = of(file.without(SWEEP).without(PUBLISHED));
        Tree sweep = file.get(SWEEP);
        if (sweep != null) {
            sweep(sweep);
        }
    }

    /** Returns a file without a sweep, with masks in place of passwords. */
    static Tree.Fields of(Tree.Fields file) {
        return section(KeyTable.FILE, file, Redaction::masked);
    }

    @SuppressWarnings("unused") // the masks of a sweep need the name of the parameter
    private static String masked(String name, String secret) {
        return isMask(secret) ? secret : MASK;
    }

    /** Returns whether a text is the mask of a password. */
    static boolean isMask(String text) {
        return MASKED.matcher(text).matches();
    }

    /** Returns the whole file without passwords; keys that do not vary may have other values than in the file of the constructor. */
    public Tree.Fields whole(Tree.Fields file) {
        Tree.Fields all = of(file.without(SWEEP).without(PUBLISHED));
        return changed(file, (name, value) -> name.equals(SWEEP) ? sweep(value) : name.equals(PUBLISHED) ? published(value)
            : Objects.requireNonNullElse(all.get(name), value));
    }

    /** Returns a value without passwords that is to be set at a path of an unknown file. */
    public static Tree alone(String path, Tree value) {
        try {
            Tree.Fields file = KeyPath.set(Tree.Fields.none(value.location()), path, value, value.location());
            return KeyPath.get(new Redaction(file).whole(file), path, value.location());
        } catch (UsageException e) {
            // A path that exists only in that file, or in none.
            return parameter(path, value, Redaction::masked);
        }
    }

    /** Returns, without passwords, a value that a key of the file has at some points of the sweep. */
    public Tree at(String path, Tree value) {
        Map<String, Map<String, String>> known = masks.computeIfAbsent(path, _ -> new HashMap<>());
        BinaryOperator<String> mask = (name, secret) -> {
            if (isMask(secret)) {
                // A mask of another place of the file, or of a file that was kept.
                return secret;
            }
            Map<String, String> ofName = known.computeIfAbsent(name, _ -> new HashMap<>());
            int number = ofName.size() + 1;
            return ofName.computeIfAbsent(secret, _ -> number == 1 ? MASK : MASK + number);
        };
        try {
            return KeyPath.get(section(KeyTable.FILE, KeyPath.set(plain, path, value, value.location()), mask), path, value.location());
        } catch (UsageException e) {
            // The path is refused later, in a sentence that may contain the value.
            return parameter(path, value, mask);
        }
    }

    /** Returns the value of the key {@code sweep}, lists of values by their paths or a list of these, without passwords. */
    private Tree sweep(Tree tree) {
        return switch (tree) {
            case Tree.Leaf leaf -> leaf;
            case Tree.Items list -> new Tree.Items(list.items().stream().map(this::sweep).toList(), list.location());
            case Tree.Fields block -> changed(block, (path, values) -> values instanceof Tree.Items list
                ? new Tree.Items(list.items().stream().map(value -> at(path, value)).toList(), list.location()) : values);
        };
    }

    /** Returns the value of the key {@code published}, rows of figures with values of varying keys by their paths, without passwords. */
    private Tree published(Tree tree) {
        return switch (tree) {
            case Tree.Leaf leaf -> leaf;
            case Tree.Items list -> new Tree.Items(list.items().stream().map(this::published).toList(), list.location());
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
            case Tree.Items list -> new Tree.Items(list.items().stream().map(item -> below(section, item, mask)).toList(), list.location());
            case Tree.Fields fields -> section(section, fields, mask);
        };
    }

    private static Tree parameter(String name, Tree tree, BinaryOperator<String> mask) {
        return switch (tree) {
            case Tree.Fields fields -> changed(fields, (below, value) -> parameter(below, value, mask));
            case Tree.Items list ->
                new Tree.Items(list.items().stream().map(item -> parameter(name, item, mask)).toList(), list.location());
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
            // The end of its password is unknown; the URL is refused later.
            return text(leaf, url.replaceAll("(?s)://.*@", "://" + MASK + "@"));
        }
        return text(leaf, ConnectionSettings.redacted(url, mask));
    }

    private static Tree.Leaf text(Tree.Leaf leaf, String text) {
        return text.equals(leaf.text()) ? leaf : new Tree.Leaf(text, leaf.quoted(), leaf.location());
    }

    private static Tree.Fields changed(Tree.Fields fields, BiFunction<String, Tree, Tree> change) {
        Map<String, Tree.Field> all = new LinkedHashMap<>();
        fields.fields().forEach((name, field) -> all.put(name, new Tree.Field(field.location(), change.apply(name, field.value()))));
        return new Tree.Fields(all, fields.location());
    }
}
