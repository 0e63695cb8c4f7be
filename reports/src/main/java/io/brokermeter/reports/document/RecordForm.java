package io.brokermeter.reports.document;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The components of a class of records, to read them from a record and to make a record of them. Thread-safe.
 *
 * @param constructor the canonical constructor
 */
public record RecordForm(Constructor<?> constructor, List<RecordComponent> components) {

    private static final ClassValue<RecordForm> FORMS = new ClassValue<>() {

        @Override
        protected RecordForm computeValue(Class<?> type) {
            List<RecordComponent> components = List.of(type.getRecordComponents());
            components.forEach(one -> one.getAccessor().setAccessible(true));
            try {
                Constructor<?> constructor = type.getDeclaredConstructor(
                    components.stream().map(RecordComponent::getType).toArray(Class<?>[]::new));
                constructor.setAccessible(true);
                return new RecordForm(constructor, components);
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException(type + " is no record", e);
            }
        }
    };

    /** Returns the components of a class of records. */
    public static RecordForm of(Class<?> type) {
        return FORMS.get(type);
    }

    /** Returns the components of a record by their names. */
    public static JsonObject values(Record record) {
        JsonObject values = new JsonObject();
        of(record.getClass()).components.forEach(one -> values.put(one.getName(), value(one, record)));
        return values;
    }

    /** Returns a component of a record. */
    public static @Nullable Object value(RecordComponent component, Record record) {
        try {
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(component + " cannot be read", e);
        }
    }

    /**
     * Makes a record of its components, in their order.
     *
     * @throws InvocationTargetException if the record's own constructor refuses them
     */
    public Object make(@Nullable Object... values) throws InvocationTargetException {
        try {
            return constructor.newInstance(values);
        } catch (InstantiationException | IllegalAccessException e) {
            throw new IllegalStateException(constructor + " cannot be called", e);
        }
    }
}
