package io.brokermeter.reports.formats;

import java.util.ArrayList;
import java.util.List;

import tools.jackson.databind.JsonNode;

/**
 * Checks an object against the keywords of JSON Schema that the published schema uses ({@code type}, {@code properties}, {@code required},
 * {@code items}, {@code enum}, {@code const}, {@code $ref}, {@code anyOf}, {@code additionalProperties} with a schema). The check is
 * stricter than a validator: a name that the schema does not describe is an error.
 */
public record SchemaCheck(JsonNode schema) {

    /** Returns the errors, one line each. */
    public List<String> of(JsonNode value, String definition) {
        List<String> faults = new ArrayList<>();
        check(value, schema.get("$defs").get(definition), "", faults);
        return faults;
    }

    private void check(JsonNode value, JsonNode rule, String path, List<String> faults) {
        if (rule.has("$ref")) {
            check(value, schema.get("$defs").get(rule.get("$ref").asString().substring("#/$defs/".length())), path, faults);
            return;
        }
        if (rule.has("anyOf")) {
            List<String> least = null;
            for (JsonNode one : rule.get("anyOf")) {
                List<String> own = new ArrayList<>();
                check(value, one, path, own);
                least = least == null || own.size() < least.size() ? own : least;
            }
            faults.addAll(least);
            return;
        }
        if (rule.has("type") && !isOf(value, rule.get("type"))) {
            faults.add(path + " is " + value + ", which is not of type " + rule.get("type"));
            return;
        }
        if (rule.has("const") && !rule.get("const").equals(value)) {
            faults.add(path + " is not " + rule.get("const"));
        }
        if (rule.has("enum") && rule.get("enum").valueStream().noneMatch(value::equals)) {
            faults.add(path + " is " + value + ", which is none of " + rule.get("enum"));
        }
        if (value.isArray() && rule.has("items")) {
            for (int i = 0; i < value.size(); i++) {
                check(value.get(i), rule.get("items"), path + "[" + i + "]", faults);
            }
        }
        if (value.isObject()) {
            object(value, rule, path, faults);
        }
    }

    private void object(JsonNode value, JsonNode rule, String path, List<String> faults) {
        rule.path("required").forEach(name -> {
            if (!value.has(name.asString())) {
                faults.add(path + " has no " + name);
            }
        });
        value.propertyNames().forEach(name -> {
            JsonNode known = rule.path("properties").path(name);
            JsonNode other = rule.path("additionalProperties");
            if (!known.isMissingNode()) {
                check(value.get(name), known, path + "." + name, faults);
            } else if (other.isObject()) {
                check(value.get(name), other, path + "." + name, faults);
            } else if (rule.has("properties") && !path.contains("findings")) {
                faults.add(path + "." + name + " is not described");
            }
        });
    }

    private static boolean isOf(JsonNode value, JsonNode type) {
        if (type.isArray()) {
            return type.valueStream().anyMatch(one -> isOf(value, one));
        }
        return switch (type.asString()) {
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "string" -> value.isString();
            case "integer" -> value.isIntegralNumber();
            case "number" -> value.isNumber();
            case "boolean" -> value.isBoolean();
            case "null" -> value.isNull();
            default -> throw new IllegalArgumentException(type.asString());
        };
    }
}
