package io.brokermeter.reports.document;

import java.io.StringWriter;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Writes JSON objects as text, and reads them as {@link JsonObject}s of lists, strings, numbers, booleans and nulls. */
public final class JsonText {

    private static final JsonFactory FACTORY = new JsonFactory();

    private JsonText() {}

    /** Returns an object on one line with the properties that {@code properties} writes. */
    public static String object(Consumer<JsonGenerator> properties) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            json.writeStartObject();
            properties.accept(json);
            json.writeEndObject();
        }
        return text.toString();
    }

    /** Writes a property that is an object with the properties that {@code properties} writes. */
    public static void object(JsonGenerator json, String name, Runnable properties) {
        json.writeObjectPropertyStart(name);
        properties.run();
        json.writeEndObject();
    }

    /** Writes a property that is an array of objects, each with the properties that {@code properties} writes. */
    public static <T> void objects(JsonGenerator json, String name, List<T> items, Consumer<T> properties) {
        json.writeArrayPropertyStart(name);
        items.forEach(item -> {
            json.writeStartObject();
            properties.accept(item);
            json.writeEndObject();
        });
        json.writeEndArray();
    }

    /** Writes a property that is an array of texts. */
    public static void texts(JsonGenerator json, String name, List<String> texts) {
        json.writeArrayPropertyStart(name);
        texts.forEach(json::writeString);
        json.writeEndArray();
    }

    /** Writes a value of a type that {@link #read} returns, or a record. */
    public static void write(JsonGenerator json, @Nullable Object value) {
        switch (value) {
            case null -> json.writeNull();
            case Map<?, ?> map -> {
                json.writeStartObject();
                map.forEach((key, one) -> {
                    json.writeName(String.valueOf(key));
                    write(json, one);
                });
                json.writeEndObject();
            }
            case Record record -> write(json, DocumentJson.tree(record));
            case List<?> list -> {
                json.writeStartArray();
                list.forEach(one -> write(json, one));
                json.writeEndArray();
            }
            case Boolean bool -> json.writeBoolean(bool);
            case Long number -> json.writeNumber(number);
            case Integer number -> json.writeNumber(number);
            case Double number -> {
                if (Double.isFinite(number)) {
                    json.writeNumber(number);
                } else {
                    json.writeNull();
                }
            }
            case BigDecimal number -> json.writeNumber(number.toPlainString());
            default -> json.writeString(value.toString());
        }
    }

    /** Formats a map as text on one line. */
    public static String of(Map<String, ?> map) {
        return object(json -> map.forEach((key, value) -> {
            json.writeName(key);
            write(json, value);
        }));
    }

    /** Formats maps as an array with a line for each. */
    public static String of(List<? extends Map<String, ?>> maps) {
        return maps.stream().map(JsonText::of).collect(Collectors.joining(",\n", "[", "]"));
    }

    /** Formats a map as text that a person can read: a line for each key, and for each map in a list. */
    @SuppressWarnings("unchecked")
    public static String lines(Map<String, ?> map) {
        return map.entrySet().stream().map(field -> {
            JsonObject one = new JsonObject();
            if (!(field.getValue() instanceof List<?> list && !list.isEmpty() && list.getFirst() instanceof Map)) {
                one.put(field.getKey(), field.getValue());
                String object = of(one);
                return "  " + object.substring(1, object.length() - 1);
            }
            return "  \"" + field.getKey() + "\": "
                + list.stream().map(item -> "\n    " + of((Map<String, ?>) item)).collect(Collectors.joining(",", "[", "\n  ]"));
        }).collect(Collectors.joining(",\n", "{\n", "\n}\n"));
    }

    /** Returns the objects in a list that was read; none if the value is no list. */
    public static List<JsonObject> maps(@Nullable Object value) {
        return value instanceof List<?> list ? list.stream().map(JsonObject.class::cast).toList() : List.of();
    }

    /** Returns the number at the end of a path of names below an object; NaN if it is absent or unknown. */
    public static double number(Map<?, ?> part, List<String> path) {
        Object at = part;
        for (String name : path) {
            at = at instanceof Map<?, ?> map ? map.get(name) : null;
        }
        return at instanceof Number number ? number.doubleValue() : Double.NaN;
    }

    /** Returns a value that was read as an object; an empty one if it is none. */
    public static JsonObject map(@Nullable Object value) {
        return value instanceof JsonObject object ? object : new JsonObject();
    }

    /**
     * Reads an object. Whole numbers are of class Long, others of class Double.
     *
     * @throws IllegalArgumentException when the text is not one JSON object
     */
    public static JsonObject read(String text) {
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("This is no JSON object");
            }
            return (JsonObject) Objects.requireNonNull(value(parser));
        } catch (JacksonException e) {
            throw new IllegalArgumentException("This is no JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static @Nullable Object value(JsonParser parser) {
        return switch (parser.currentToken()) {
            case START_OBJECT -> {
                JsonObject map = new JsonObject();
                while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                    String name = parser.currentName();
                    parser.nextToken();
                    map.put(name, value(parser));
                }
                yield map;
            }
            case START_ARRAY -> {
                List<@Nullable Object> list = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    list.add(value(parser));
                }
                yield list;
            }
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> parser.getString();
        };
    }
}
