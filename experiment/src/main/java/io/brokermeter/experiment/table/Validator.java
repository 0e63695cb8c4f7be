package io.brokermeter.experiment.table;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.Header;
import io.brokermeter.experiment.tree.Tree;

/** Checks a file against the {@link KeyTable} for unknown keys, values of the wrong kind and wrong units. */
public final class Validator {

    private final Path base;
    private final FileErrors errors;

    public Validator(Path base, FileErrors errors) {
        this.base = base;
        this.errors = errors;
    }

    public void check(Tree.Fields file) {
        section(KeyTable.FILE, file, "");
    }

    private void section(Section section, Tree.Fields fields, String path) {
        for (Map.Entry<String, Tree.Field> field : fields.fields().entrySet()) {
            String full = path.isEmpty() ? field.getKey() : path + "." + field.getKey();
            Key key = section.find(field.getKey());
            if (key == null) {
                errors.about(field.getValue().location(), full, section.unknown(field.getKey()));
            } else {
                value(key, field.getValue().value(), full);
            }
        }
    }

    private void value(Key key, Tree value, String path) {
        if (Tree.isNothing(value)) {
            return;
        }
        switch (key.form()) {
            case SECTION -> sectionValue(key, value, path);
            case TEXTS, HEADERS -> names(key, value, path);
            case LOADS -> {
                if (value instanceof Tree.Fields loads) {
                    loads.fields().forEach((group, load) -> {
                        if (!Tree.isNothing(load.value())) {
                            plain(key, load.value(), path + "." + group);
                        }
                    });
                } else {
                    plain(key, value, path);
                }
            }
            case AGENTS, AGENT_CHOICE -> listed(key, value, path);
            case SWEEP, PUBLISHED -> {} // they have readers of their own
            default -> plain(key, value, path);
        }
    }

    private void sectionValue(Key key, Tree value, String path) {
        if (value instanceof Tree.Items list && !key.below().isListed()) {
            if (!key.several()) {
                errors.about(value.location(), path, "it must be keys with values, not a list.");
                return;
            }
            if (list.items().isEmpty()) {
                errors.about(value.location(), path, "the list is empty; leave the key out, or name one at least.");
            }
            for (int i = 0; i < list.items().size(); i++) {
                one(key, list.items().get(i), path + "." + i);
            }
        } else {
            one(key, value, path);
        }
    }

    private void one(Key key, Tree value, String path) {
        Section section = key.below();
        switch (value) {
            case Tree.Fields fields -> section(section, fields, path);
            case Tree.Leaf leaf -> {
                if (section.switched() && leaf.text().equals("false")) {
                    return;
                }
                Tree.Fields meant = section.expand(leaf);
                if (meant == null) {
                    errors.about(leaf.location(), path, "'" + leaf.text() + "' stands where keys with values must be: "
                        + String.join(", ", section.keys().stream().limit(6).map(Key::name).toList()) + "...");
                } else {
                    for (Map.Entry<String, Tree.Field> field : meant.fields().entrySet()) {
                        Key short1 = section.find(field.getKey());
                        if (short1 != null) {
                            value(short1, field.getValue().value(), path);
                        }
                    }
                }
            }
            case Tree.Items list when section.isListed() -> {
                Key meant = section.find(section.shorthand());
                if (meant != null) {
                    listed(meant, list, path);
                }
            }
            case Tree.Items list ->
                errors.about(list.location(), path, "it must be keys with values, not a list in a list.");
        }
    }

    private void names(Key key, Tree value, String path) {
        if (!(value instanceof Tree.Fields fields)) {
            errors.about(value.location(), path, "it must be " + key.form().description() + ", like {name: value}.");
            return;
        }
        fields.fields().forEach((name, field) -> {
            if (field.value() instanceof Tree.Leaf) {
                return;
            }
            if (key.form() == ValueSyntax.HEADERS && field.value() instanceof Tree.Fields shares) {
                try {
                    Header.parse(name, headerText(shares));
                } catch (UsageException e) {
                    errors.about(field.location(), path + "." + name, sentence(e));
                }
                return;
            }
            errors.about(field.location(), path + "." + name, "it must be one text"
                + (key.form() == ValueSyntax.HEADERS ? ", or values with their shares like {eu: 30%, us: 70%}." : "."));
        });
    }

    /** Returns values with shares in the form that {@link Header} parses. */
    public static String headerText(Tree.Fields shares) {
        List<String> parts = shares.fields().entrySet().stream()
            .map(share -> share.getKey() + ":" + share.getValue().value().flow()).toList();
        return "{" + String.join(",", parts) + "}";
    }

    private void listed(Key key, Tree value, String path) {
        try {
            key.form().checkListed(value);
        } catch (UsageException e) {
            errors.about(value.location(), path, sentence(e));
        }
    }

    private void plain(Key key, Tree value, String path) {
        if (!(value instanceof Tree.Leaf leaf)) {
            errors.about(value.location(), path, "it must be " + key.form().description() + ", not "
                + (value instanceof Tree.Items ? "a list; to vary it, name it in 'sweep'." : "keys with values."));
            return;
        }
        try {
            key.form().check(leaf.text(), key, base);
        } catch (UsageException e) {
            errors.about(leaf.location(), path, sentence(e));
        }
    }

    public static String sentence(RuntimeException e) {
        return String.valueOf(e.getMessage());
    }
}
