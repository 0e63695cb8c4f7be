package io.brokermeter.experiment.omb;

import java.io.IOException;
import java.io.StringReader;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

import io.brokermeter.experiment.table.FileErrors;
import io.brokermeter.experiment.tree.SourceLocation;
import io.brokermeter.experiment.tree.Tree;
import io.brokermeter.spi.parameter.Nearest;
import org.jspecify.annotations.Nullable;

/** A file of OpenMessaging Benchmark, or a part of one: its values, and the sentences about them, which name file, line and key. */
final class OmbFile {

    private final Tree.Fields fields;
    private final FileErrors errors;
    private final List<String> warnings;

    OmbFile(Tree.Fields fields, FileErrors errors, List<String> warnings) {
        this.fields = fields;
        this.errors = errors;
        this.warnings = warnings;
    }

    /** A value with the place where it was written. */
    record Written(String text, SourceLocation location) {}

    /** Returns the section at a key; null where there is none. */
    @Nullable OmbFile section(String key) {
        return fields.get(key) instanceof Tree.Fields below ? new OmbFile(below, errors, warnings) : null;
    }

    /** Returns the sections in the list at a key. */
    List<OmbFile> sections(String key) {
        List<OmbFile> all = new ArrayList<>();
        for (Tree item : Tree.items(fields.get(key))) {
            if (item instanceof Tree.Fields one) {
                all.add(new OmbFile(one, errors, warnings));
            }
        }
        return all;
    }

    /** Returns the first text of the list at a key, or its only text; {@code otherwise} where there is none. */
    String first(String key, String otherwise) {
        List<Tree> all = Tree.items(fields.get(key));
        return all.isEmpty() ? otherwise : all.getFirst().flow();
    }

    /** Returns the text of a key; {@code otherwise} where the key is missing or has no value. */
    String text(String key, String otherwise) {
        Tree tree = fields.get(key);
        return tree == null || tree.flow().isEmpty() || tree.flow().equals("null") ? otherwise : tree.flow();
    }

    boolean isTrue(String key) {
        return text(key, "false").equals("true");
    }

    /** Returns the whole number of a key; {@code otherwise} where the key has no value, or one that is refused. */
    long number(String key, long otherwise, long least) {
        String text = text(key, "");
        if (text.isEmpty()) {
            return otherwise;
        }
        try {
            long value = new BigDecimal(text).longValueExact();
            if (value >= least && value <= Integer.MAX_VALUE) {
                return value;
            }
        } catch (ArithmeticException | NumberFormatException e) {
            // the sentence below covers it
        }
        wrong(key, "'" + text + "' must be a whole number of at least " + least + " and at most " + Integer.MAX_VALUE + ".");
        return otherwise;
    }

    /** Returns the Java properties in the text of a key, as driver files have them, or the entries of a map, without those of no value. */
    Map<String, Written> config(String key) {
        Map<String, Written> all = new LinkedHashMap<>();
        Tree tree = fields.get(key);
        if (tree instanceof Tree.Fields below) {
            below.fields().forEach((name, field) -> all.put(name, new Written(field.value().flow(), field.location())));
        } else if (tree instanceof Tree.Leaf leaf && !leaf.isNothing()) {
            Properties properties = new Properties();
            try {
                properties.load(new StringReader(leaf.text()));
            } catch (IOException | IllegalArgumentException e) {
                wrong(key, "it does not consist of lines like name=value: " + e.getMessage() + ".");
            }
            properties.stringPropertyNames().stream().sorted().filter(name -> !properties.getProperty(name).isBlank())
                .forEach(name -> all.put(name, new Written(properties.getProperty(name), line(leaf, name))));
        }
        return all;
    }

    /** Returns the place of a property in a text of several lines, which begins in the line behind its key. */
    private static SourceLocation line(Tree.Leaf text, String property) {
        List<String> lines = text.text().lines().toList();
        for (int i = 0; i < lines.size() && text.text().contains("\n"); i++) {
            if (lines.get(i).strip().split("[=: \t]", 2)[0].equals(property)) {
                return new SourceLocation(text.location().origin(), text.location().line() + 1 + i, 1);
            }
        }
        return text.location();
    }

    /** Returns the place of a key; that of the file where it lacks the key. */
    SourceLocation location(String key) {
        Tree.Field field = fields.fields().get(key);
        return field == null ? fields.location() : field.location();
    }

    /** Refuses unknown keys, except keys without a value: the benchmark's files have these to show what could be set. */
    void known(List<String> keys) {
        fields.fields().forEach((name, field) -> {
            if (!keys.contains(name) && has(name)) {
                String near = Nearest.to(name, keys);
                wrong(name, "OpenMessaging Benchmark has no such key that is known here"
                    + (near == null ? "." : "; did you mean '" + near + "'?"));
            }
        });
    }

    /** Returns whether a key has a value; an empty list is none. */
    boolean has(String key) {
        return switch (fields.get(key)) {
            case null -> false;
            case Tree.Leaf leaf -> !leaf.isNothing() && !leaf.text().isEmpty();
            case Tree.Items list -> !list.items().isEmpty();
            case Tree.Fields _ -> true;
        };
    }

    void wrong(String key, String sentence) {
        errors.about(location(key), key, sentence);
    }

    void warn(String key, String sentence) {
        warn(location(key), key, sentence);
    }

    void warn(SourceLocation location, String key, String sentence) {
        warnings.add(location + ": key '" + key + "': " + sentence);
    }
}
