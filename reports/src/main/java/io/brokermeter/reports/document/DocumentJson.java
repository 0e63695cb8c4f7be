package io.brokermeter.reports.document;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Converts documents, which are records whose components are the keys of a file, to trees of JSON values and back. Keys are in the order of
 * the components, and a number is written without an exponent; one that is unknown is NaN in a record and null in a file.
 *
 * <p>Reading is lenient, since files are of all versions: what is missing, or of another form, is NaN, 0, false, empty, or null where the
 * component may be, and what no component is named after is left out. A {@code Double} that may be null is null only where its key is
 * missing, and NaN where its value is. So a document can always be made, of whatever object. Components are texts, numbers, booleans,
 * records, lists, and maps by texts.
 *
 * <p>Thread-safe. {@link io.brokermeter.reports.json.RecordJson} is for what processes of one version say to each other: without loss, and strict.
 */
public final class DocumentJson {

    /** Marks a component that a file leaves out where it is unknown: NaN, null, false or empty. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.RECORD_COMPONENT)
    public @interface IfKnown {

        /** Whether all but null is known. */
        boolean evenEmpty() default false;

        /** Names a component whose presence makes this one present as well, known or not; empty for none. */
        String orWith() default "";
    }

    /**
     * Marks a record or a map whose keys stand among those of the record that contains it. A map has all keys that belong to no other
     * component; a record that may be null is null where a file has none of its keys.
     */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.RECORD_COMPONENT)
    public @interface Inline {}

    /** What is known of a component without looking at a record. */
    private record Property(RecordComponent component, boolean nullable, boolean inline, @Nullable IfKnown ifKnown) {

        String name() {
            return component.getName();
        }

        @Nullable Object of(Record record) {
            return RecordForm.value(component, record);
        }
    }

    /** @param keys keys of a file that belong to the components, those of inlined records included */
    private record Form(RecordForm record, List<Property> properties, Set<String> keys) {

        static Form of(Class<?> type) {
            List<Property> properties = new ArrayList<>();
            Set<String> keys = new LinkedHashSet<>();
            RecordForm record = RecordForm.of(type);
            for (RecordComponent one : record.components()) {
                boolean inline = one.isAnnotationPresent(Inline.class);
                properties.add(new Property(one, one.getAnnotatedType().isAnnotationPresent(Nullable.class), inline,
                    one.getAnnotation(IfKnown.class)));
                if (!inline) {
                    keys.add(one.getName());
                } else if (one.getType().isRecord()) {
                    keys.addAll(FORMS.get(one.getType()).keys);
                }
            }
            return new Form(record, properties, keys);
        }

        Property named(String name) {
            return properties.stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
        }
    }

    private static final ClassValue<Form> FORMS = new ClassValue<>() {

        @Override
        protected Form computeValue(Class<?> type) {
            return Form.of(type);
        }
    };

    private DocumentJson() {}

    /** Rounds a number as files have it; NaN and infinite numbers become NaN. */
    public static double rounded(double value, int decimals) {
        return Double.isFinite(value) ? BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_UP).doubleValue() : Double.NaN;
    }

    // ---- writing ----

    /** Returns a document as a tree of maps, lists, texts, booleans, numbers and nulls. */
    public static JsonObject tree(Record document) {
        return tree(document, true);
    }

    /** Returns a document as text on one line. */
    public static String text(Record document) {
        return JsonText.of(tree(document));
    }

    /** Returns a document as text that a person can read, with the numbers as Java writes them. */
    public static String lines(Record document) {
        return JsonText.lines(treeOfJavaNumbers(document));
    }

    /** Returns a document as {@link #tree} does, with the numbers as Java writes them: {@code 1.0} and {@code 1.0E10}. */
    public static JsonObject treeOfJavaNumbers(Record document) {
        return tree(document, false);
    }

    private static JsonObject tree(Record document, boolean plain) {
        JsonObject tree = new JsonObject();
        Form form = FORMS.get(document.getClass());
        for (Property one : form.properties) {
            Object value = one.of(document);
            if (one.inline) {
                tree.putAll(
                    value == null ? Map.of() : value instanceof Record record ? tree(record, plain) : tree((Map<?, ?>) value, plain));
            } else if (one.ifKnown == null || isKnown(value) || one.ifKnown.evenEmpty() && value != null
                || !one.ifKnown.orWith().isEmpty() && isKnown(form.named(one.ifKnown.orWith()).of(document))) {
                tree.put(one.name(), written(value, plain));
            }
        }
        return tree;
    }

    private static JsonObject tree(Map<?, ?> map, boolean plain) {
        JsonObject tree = new JsonObject();
        map.forEach((key, value) -> tree.put(String.valueOf(key), written(value, plain)));
        return tree;
    }

    private static @Nullable Object written(@Nullable Object value, boolean plain) {
        return switch (value) {
            case Double number -> !Double.isFinite(number) ? null : plain ? plain(number) : number;
            case Record record -> tree(record, plain);
            case Map<?, ?> map -> tree(map, plain);
            case List<?> list -> list.stream().map(one -> written(one, plain)).toList();
            case null, default -> value;
        };
    }

    /** Returns a number in the form in which it is written without an exponent and without zeros at its end. */
    private static BigDecimal plain(double value) {
        BigDecimal exact = BigDecimal.valueOf(value).stripTrailingZeros();
        return exact.scale() < 0 ? exact.setScale(0) : exact;
    }

    private static boolean isKnown(@Nullable Object value) {
        return switch (value) {
            case null -> false;
            case Boolean flag -> flag;
            case Double number -> Double.isFinite(number);
            case String text -> !text.isEmpty();
            case Map<?, ?> map -> !map.isEmpty();
            case List<?> list -> !list.isEmpty();
            default -> true;
        };
    }

    // ---- reading ----

    /**
     * Makes a document of the text of a file, whatever object it contains.
     *
     * @throws IllegalArgumentException when the text is not one JSON object
     */
    public static <R extends Record> R read(Class<R> type, String text) {
        return read(type, JsonText.read(text));
    }

    /** Returns a document of which nothing is known. */
    public static <R extends Record> R empty(Class<R> type) {
        return read(type, Map.of());
    }

    /** Makes a document of an object that was read from a file, whatever it contains. */
    public static <R extends Record> R read(Class<R> type, Map<String, ? extends @Nullable Object> tree) {
        return type.cast(record(type, tree));
    }

    private static Object record(Class<?> type, Map<?, ?> tree) {
        Form form = FORMS.get(type);
        @Nullable Object[] values = new Object[form.properties.size()];
        for (int i = 0; i < values.length; i++) {
            Property one = form.properties.get(i);
            Object value = tree;
            if (!one.inline) {
                value = tree.get(one.name());
            } else if (one.component.getType() == Map.class) {
                Map<Object, @Nullable Object> rest = new LinkedHashMap<>(tree);
                rest.keySet().removeAll(form.keys);
                value = rest;
            } else if (one.nullable && Collections.disjoint(FORMS.get(one.component.getType()).keys, tree.keySet())) {
                value = null;
            }
            Type its = one.component.getGenericType();
            values[i] = its == Double.class && one.nullable && !tree.containsKey(one.name()) ? null : value(its, one.nullable, value);
        }
        try {
            return form.record.make(values);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(type + " cannot be made", e);
        }
    }

    private static @Nullable Object value(Type type, boolean nullable, @Nullable Object tree) {
        if (type == double.class || type == Double.class) {
            return tree instanceof Number number ? number.doubleValue() : Double.NaN;
        } else if (type == long.class) {
            return tree instanceof Number number ? number.longValue() : 0L;
        } else if (type == Long.class) {
            return tree instanceof Number number ? (Long) number.longValue() : nullable ? null : (Long) 0L;
        } else if (type == boolean.class) {
            return Boolean.TRUE.equals(tree);
        } else if (type == Boolean.class) {
            return tree instanceof Boolean flag ? flag : null;
        } else if (type == String.class) {
            return tree != null && !(tree instanceof Map || tree instanceof List) ? tree.toString() : nullable ? null : "";
        } else if (type instanceof Class<?> one && one.isRecord()) {
            return tree instanceof Map<?, ?> map ? record(one, map) : nullable ? null : record(one, Map.of());
        } else if (type instanceof ParameterizedType generic && generic.getRawType() == List.class) {
            return tree instanceof List<?> list ? items(generic.getActualTypeArguments()[0], list) : nullable ? null : List.of();
        } else if (type instanceof ParameterizedType generic) {
            return tree instanceof Map<?, ?> map ? entries(generic.getActualTypeArguments()[1], map) : nullable ? null : Map.of();
        }
        return tree;
    }

    private static List<@Nullable Object> items(Type type, List<?> list) {
        List<@Nullable Object> items = new ArrayList<>();
        for (Object one : list) {
            if (isOf(type, one)) {
                items.add(value(type, false, one));
            }
        }
        return Collections.unmodifiableList(items);
    }

    private static Map<String, ?> entries(Type type, Map<?, ?> map) {
        JsonObject entries = new JsonObject();
        map.forEach((key, one) -> {
            if (isOf(type, one)) {
                entries.put(String.valueOf(key), value(type, false, one));
            }
        });
        return Collections.unmodifiableMap(entries);
    }

    /** Returns whether a value can be one of several: a record is made of an object alone, and a number of a number or null. */
    private static boolean isOf(Type type, @Nullable Object value) {
        return type instanceof Class<?> one && one.isRecord() ? value instanceof Map
            : type != Double.class || value == null || value instanceof Number;
    }
}
