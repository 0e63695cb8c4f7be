package io.brokermeter.reports.json;

import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedTypeVariable;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The types of the components of one record, for {@link RecordJson}.
 *
 * @param variables types of the record's type variables
 */
record RecordTypes(Map<TypeVariable<?>, AnnotatedType> variables) {

    static final RecordTypes NONE = new RecordTypes(Map.of());
    /** The key of the name of one of the types that a sealed type permits. */
    static final String TYPE = "@type";
    /** The key of a constant of an enum that a sealed type permits. */
    static final String CONSTANT = "constant";
    /** Types with a JSON form, apart from primitive types, arrays, enums, records and sealed types. */
    private static final Set<Class<?>> KNOWN = Set.of(String.class, Boolean.class, Character.class, Double.class, Float.class, Long.class,
        Integer.class, Short.class, Byte.class, Duration.class, Instant.class, BitSet.class, Histogram.class, List.class, Set.class,
        Map.class);

    /**
     * Returns the types for a record that is the type of a component, with its type variables bound.
     *
     * @param type null for a record that is no component, which has no type variables
     */
    RecordTypes inside(@Nullable AnnotatedType type, Class<?> record) {
        if (record.getTypeParameters().length == 0) {
            return NONE;
        }
        Map<TypeVariable<?>, AnnotatedType> known = new LinkedHashMap<>();
        for (int i = 0; i < record.getTypeParameters().length; i++) {
            known.put(record.getTypeParameters()[i], resolved(argument(type, i, record.getSimpleName())));
        }
        return new RecordTypes(known);
    }

    /** Returns a type without variables and wildcards at its top level. */
    AnnotatedType resolved(AnnotatedType type) {
        return switch (type) {
            case AnnotatedTypeVariable variable -> {
                AnnotatedType known = variables.get((TypeVariable<?>) variable.getType());
                if (known == null) {
                    throw new IllegalArgumentException("Nothing says what " + variable.getType() + " is");
                }
                yield known;
            }
            case AnnotatedWildcardType wildcard -> resolved(wildcard.getAnnotatedUpperBounds()[0]);
            default -> type;
        };
    }

    static AnnotatedType argument(@Nullable AnnotatedType type, int number, String place) {
        if (type instanceof AnnotatedParameterizedType generic
            && generic.getAnnotatedActualTypeArguments().length > number) {
            return generic.getAnnotatedActualTypeArguments()[number];
        }
        throw new IllegalArgumentException(place + " does not say of what it is made");
    }

    static Class<?> raw(AnnotatedType type, String place) {
        if (type instanceof AnnotatedArrayType array) {
            return raw(array.getAnnotatedGenericComponentType(), place).arrayType();
        }
        Type plain = type.getType() instanceof ParameterizedType generic ? generic.getRawType() : type.getType();
        if (plain instanceof Class<?> one && (one.isPrimitive() || one.isArray() || one.isEnum() || one.isRecord() || one.isSealed()
            || KNOWN.contains(one))) {
            return one;
        }
        throw noForm(plain, place);
    }

    static IllegalArgumentException noForm(Type type, String place) {
        return new IllegalArgumentException(place + " is of the type " + type.getTypeName() + ", which has no form in JSON");
    }

    static boolean isNullable(AnnotatedType type) {
        return type.isAnnotationPresent(Nullable.class);
    }

    /** Returns the records and enums that a sealed type permits, directly or indirectly, by their simple names. */
    static Map<String, Class<?>> permitted(Class<?> sealed) {
        Map<String, Class<?>> permitted = new LinkedHashMap<>();
        collect(sealed, permitted);
        return permitted;
    }

    private static void collect(Class<?> type, Map<String, Class<?>> into) {
        if (type.isSealed()) {
            Arrays.stream(type.getPermittedSubclasses()).forEach(one -> collect(one, into));
        } else if (!type.isRecord() && !type.isEnum() || !type.equals(into.computeIfAbsent(type.getSimpleName(), _ -> type))) {
            throw new IllegalArgumentException(type.getName() + " is neither a record nor an enum, or has the name of another one");
        }
    }
}
