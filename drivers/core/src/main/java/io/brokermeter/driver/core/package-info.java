/** The driver for Apache Artemis CORE, over the broker's own Jakarta Messaging client. */
@NullMarked
package io.brokermeter.driver.core;

import org.jspecify.annotations.NullMarked;
