package io.brokermeter.experiment.table;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.engine.scenario.measure.Quantity;
import io.brokermeter.experiment.published.Figure;
import org.jspecify.annotations.Nullable;

/** The keys of a scenario file, for editors (JSON Schema) and for readers (tables in Markdown). */
public final class KeyDocs {

    private KeyDocs() {}

    /** Returns a JSON Schema of scenario files, draft 2020-12. */
    public static String jsonSchema() {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        schema.put("title", "brokermeter scenario");
        schema.putAll(object(KeyTable.FILE));
        Map<String, Object> definitions = new LinkedHashMap<>();
        KeyTable.sections().forEach((path, section) -> {
            if (!path.isEmpty()) {
                definitions.put(definition(section), described(section));
            }
        });
        schema.put("$defs", definitions);
        StringBuilder out = new StringBuilder();
        json(schema, 0, out);
        return out.append('\n').toString();
    }

    private static String definition(Section section) {
        return section.name();
    }

    private static Map<String, Object> described(Section section) {
        Map<String, Object> whole = object(section);
        List<Object> forms = new ArrayList<>();
        forms.add(whole);
        if (section.switched()) {
            forms.add(Map.of("type", "boolean"));
        }
        if (!section.shorthand().isEmpty()) {
            forms.add(Map.of("type", List.of("string", "number")));
        }
        if (section.isListed()) {
            forms.add(ordered("type", "array", "items", Map.of("type", List.of("string", "number"))));
        }
        forms.add(Map.of("type", "null"));
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("description", section.doc());
        result.put("anyOf", forms);
        return result;
    }

    private static Map<String, Object> object(Section section) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("type", "object");
        result.put("additionalProperties", false);
        Map<String, Object> properties = new LinkedHashMap<>();
        section.keys().forEach(key -> properties.put(key.name(), schema(key)));
        result.put("properties", properties);
        return result;
    }

    private static Map<String, Object> schema(Key key) {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("description", (key.doc() + (key.otherwise().isEmpty() ? "" : " Default: " + key.otherwise() + ".")
            + (key.form() == ValueSyntax.SECTION || key.form() == ValueSyntax.CHOICE ? "" : " It is " + key.form().description() + "."))
            .replace("`", ""));
        switch (key.form()) {
            case SECTION -> {
                Map<String, Object> one = Map.of("$ref", "#/$defs/" + definition(key.below()));
                if (key.several()) {
                    schema.put("anyOf", List.of(one, ordered("type", "array", "items", one)));
                } else {
                    schema.putAll(one);
                }
            }
            case FLAG -> schema.put("type", List.of("boolean", "null"));
            case CHOICE -> {
                List<Object> words = new ArrayList<>(key.choices());
                words.add(null);
                schema.put("enum", words);
            }
            case NUMBER -> whole(schema, 0);
            case POSITIVE -> whole(schema, 1);
            case TEXTS -> {
                schema.put("type", List.of("object", "null"));
                schema.put("additionalProperties", Map.of("type", List.of("string", "number", "boolean", "null")));
            }
            case HEADERS, LOADS, AGENTS, AGENT_CHOICE, SWEEP, PUBLISHED -> {} // forms of their own, which the reader checks
            default -> schema.put("type", List.of("string", "number", "null"));
        }
        return schema;
    }

    private static void whole(Map<String, Object> schema, int least) {
        schema.put("type", List.of("integer", "string", "null"));
        schema.put("minimum", least);
    }

    private static Map<String, Object> ordered(String first, Object one, String second, Object two) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put(first, one);
        map.put(second, two);
        return map;
    }

    /** Returns a table of the keys of each section, and one of the published figures, in Markdown. */
    public static String markdown() {
        StringBuilder out = new StringBuilder();
        KeyTable.sections().forEach((path, section) -> {
            out.append(path.isEmpty() ? "### The whole file\n\n" : "### `" + path + "`\n\n").append(section.doc());
            if (!section.shorthand().isEmpty()) {
                out.append(" A value in place of the keys is its `").append(section.shorthand()).append("`.");
            }
            if (section.switched()) {
                out.append(" `true` takes every default.");
            }
            out.append("\n\n| key | value | default | meaning |\n|---|---|---|---|\n");
            section.keys().forEach(key -> out.append("| `").append(key.name()).append("` | ").append(value(key)).append(" | ")
                .append(key.otherwise()).append(" | ").append(cell(key.doc())).append(" |\n"));
            out.append('\n');
        });
        out.append("### `published`\n\nA row names the values of the sweep that it speaks of, and figures:\n\n"
            + "| key | value | meaning |\n|---|---|---|\n");
        Figure.Known.ALL.forEach(figure -> out.append("| `").append(figure.key()).append("` | ")
            .append(switch (figure.unit()) {
                case PER_SECOND -> "a rate, `29922.20/s`, `about 9500/s`, `9000..11000/s`";
                case PERCENT -> "`96.6%`";
                case MICROS -> "a time, `113.01us`, `1.5ms`";
                case SECONDS -> "a time, `33.4s`";
                case MESSAGES, COUNT, BYTES, BYTES_PER_SECOND -> "a number";
            }).append(" | ").append(figure.doc()).append(" |\n"));
        out.append("| `note` | a text | What else was said. |\n");
        out.append(
            "\n### Figures of thresholds\n\nA time has `mean`, `max` and every percentile, as `response.p99.9`; a percentile needs ten "
                + "samples beyond it. Phases have the\ntimes and what is marked.\n\n| figure | unit of the limit | of phases | what it is |\n|---|---|---|---|\n");
        for (Metric metric : Metric.values()) {
            out.append("| `").append(metric.key()).append(".p99` | a time, `10ms` | yes | ").append(metric.doc()).append(" |\n");
        }
        for (Quantity quantity : Quantity.all()) {
            out.append("| `").append(quantity.key()).append("` | ").append(switch (quantity.unit()) {
                case MESSAGES -> "messages, `10k`";
                case COUNT -> "a number";
                case MICROS, SECONDS -> "a time, `10ms`";
                case PER_SECOND -> "a rate, `37k/s`";
                case PERCENT -> "`99.9%`";
                case BYTES -> "a size, `2GiB`";
                case BYTES_PER_SECOND -> "a rate, `10MB/s`";
            }).append(" | ").append(quantity.isOfPhases() ? "yes" : "").append(" | ").append(quantity.doc()).append(" |\n");
        }
        return out.toString();
    }

    private static String value(Key key) {
        return switch (key.form()) {
            case SECTION -> (key.several() ? "keys, or a list of them" : "keys") + " (`" + key.below().name() + "`)";
            case CHOICE -> key.choices().stream().map(word -> "`" + word + "`").collect(Collectors.joining(", "));
            default -> cell(key.form().description());
        };
    }

    private static String cell(String text) {
        return text.replace("|", "\\|");
    }

    private static void json(@Nullable Object value, int depth, StringBuilder out) {
        String indent = "  ".repeat(depth + 1);
        switch (value) {
            case null -> out.append("null");
            case Map<?, ?> map -> {
                out.append("{");
                String separator = "\n";
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    out.append(separator).append(indent);
                    json(entry.getKey(), depth, out);
                    out.append(": ");
                    json(entry.getValue(), depth + 1, out);
                    separator = ",\n";
                }
                out.append('\n').append("  ".repeat(depth)).append('}');
            }
            case List<?> list -> {
                out.append('[');
                String separator = "";
                for (Object item : list) {
                    out.append(separator);
                    json(item, depth + 1, out);
                    separator = ", ";
                }
                out.append(']');
            }
            case String text -> out.append('"').append(text.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
            default -> out.append(value);
        }
    }
}
