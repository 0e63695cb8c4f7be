package io.brokermeter.cli.mcp;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.document.JsonObject;
import io.brokermeter.spi.parameter.Nearest;
import org.jspecify.annotations.Nullable;

/** The arguments of a call, which may have any types: each mistake becomes a sentence. */
record CallArguments(String tool, JsonObject values) {

    /**
     * Refuses arguments that the tool does not have.
     *
     * @throws UsageException for the first of them
     */
    void require(Set<String> known) {
        for (String name : values.keySet()) {
            if (!known.contains(name)) {
                String near = Nearest.to(name, known);
                throw new UsageException("The tool " + tool + " has no argument '" + name + "'"
                    + (near == null ? "; there are " + String.join(", ", known) + "." : "; did you mean '" + near + "'?"));
            }
        }
    }

    boolean has(String name) {
        return values.get(name) != null;
    }

    /** Returns an argument as a text; null for none. */
    @Nullable String text(String name) {
        return switch (values.get(name)) {
            case null -> null;
            case String text -> text;
            case Number number -> number.toString();
            default -> throw wrong(name, "a text");
        };
    }

    String text(String name, String otherwise) {
        String text = text(name);
        return text == null ? otherwise : text;
    }

    boolean flag(String name, boolean otherwise) {
        return switch (values.get(name)) {
            case null -> otherwise;
            case Boolean flag -> flag;
            default -> throw wrong(name, "true or false");
        };
    }

    /** Returns a time in the form of a scenario file; a number is one of seconds. */
    String time(String name, String otherwise) {
        String text = text(name, otherwise);
        return text.matches("[0-9.]+") ? text + "s" : text;
    }

    List<String> texts(String name) {
        return switch (values.get(name)) {
            case null -> List.of();
            case String one -> List.of(one);
            case List<?> list when list.stream().allMatch(String.class::isInstance) -> list.stream().map(String.class::cast).toList();
            default -> throw wrong(name, "a list of texts");
        };
    }

    /** Returns an argument that has values by names; empty for none. */
    Map<String, Object> map(String name) {
        Map<String, Object> all = new LinkedHashMap<>();
        switch (values.get(name)) {
            case null -> {}
            case Map<?, ?> map -> map.forEach((key, value) -> all.put(String.valueOf(key), Objects.requireNonNullElse(value, "")));
            default -> throw wrong(name, "an object with a value for each key");
        }
        return all;
    }

    private UsageException wrong(String name, String what) {
        return new UsageException("The argument '" + name + "' must be " + what + ".");
    }
}
