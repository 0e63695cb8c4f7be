package org.apache.commons.collections;

import java.util.Collection;

import org.jspecify.annotations.Nullable;

/**
 * What RocketMQ's client calls of commons-collections 3, which has had no release since 2015 and whose older versions run whatever bytes
 * they are given to deserialize: this class takes the place of the library.
 */
public final class CollectionUtils {

    private CollectionUtils() {}

    /** Returns whether the collection is null or has no elements. */
    public static boolean isEmpty(@Nullable Collection<?> collection) {
        return collection == null || collection.isEmpty();
    }

    /** Returns whether the collection has an element. */
    public static boolean isNotEmpty(@Nullable Collection<?> collection) {
        return !isEmpty(collection);
    }
}
