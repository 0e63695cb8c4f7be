/** The driver for Redis streams. */
@NullMarked
package io.brokermeter.driver.redis;

import org.jspecify.annotations.NullMarked;
