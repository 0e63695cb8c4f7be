package org.apache.commons.collections;

import java.util.concurrent.ConcurrentHashMap;

/**
 * What Artemis' client reaches of commons-collections 3, by way of commons-beanutils, when a parameter of a URL is none of a bean's
 * properties: this class takes the place of the library, which has had no release since 2015.
 */
public final class FastHashMap extends ConcurrentHashMap<Object, Object> {

    private static final long serialVersionUID = 1;

    /** Does nothing: this map is read by many threads without locks either way. */
    public void setFast(boolean fast) {}
}
