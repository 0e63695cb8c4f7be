package io.brokermeter.experiment;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.spi.ConnectionSettings;

/** Takes passwords out of what is kept: those of clients' and brokers' own parameters, and those in URLs. */
final class Redaction {

    /** What stands in place of a password. */
    static final String MASK = "***";

    private Redaction() {}

    static Tree.Fields of(Tree.Fields fields) {
        Map<String, Tree.Field> all = new LinkedHashMap<>();
        fields.fields().forEach((name, field) -> all.put(name, new Tree.Field(field.place(), value(name, field.value()))));
        return new Tree.Fields(all, fields.place());
    }

    private static Tree value(String name, Tree tree) {
        return switch (tree) {
            case Tree.Fields fields -> of(fields);
            case Tree.Items list -> new Tree.Items(list.items().stream().map(item -> value(name, item)).toList(), list.place());
            case Tree.Leaf leaf -> new Tree.Leaf(
                isSecret(name) ? MASK
                    : name.toLowerCase(Locale.ROOT).endsWith("url") ? ConnectionSettings.redacted(leaf.text()) : leaf.text(),
                leaf.quoted(), leaf.place());
        };
    }

    private static boolean isSecret(String name) {
        String plain = name.toLowerCase(Locale.ROOT);
        return !plain.equals("passwordfile") && !plain.equals("passwordenv") && (plain.contains("password")
            || plain.contains("passcode") || plain.contains("secret") || plain.endsWith("token"));
    }
}
