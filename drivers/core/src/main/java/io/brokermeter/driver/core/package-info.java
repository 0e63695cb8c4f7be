/** The driver for Apache Artemis CORE: brokermeter's own path, and the broker's own Jakarta Messaging client for what that has not. */
@NullMarked
package io.brokermeter.driver.core;

import org.jspecify.annotations.NullMarked;
