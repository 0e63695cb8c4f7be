package io.brokermeter.reports.document;

import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** An object of JSON, its properties in their order: values as {@link JsonText#read} says. */
public final class JsonObject extends LinkedHashMap<String, @Nullable Object> {

    private static final long serialVersionUID = 1L;

    public JsonObject() {}

    public JsonObject(Map<String, ? extends @Nullable Object> properties) {
        super(properties);
    }
}
