/** What goes wrong in a driver, and how it is said. */
@NullMarked
package io.brokermeter.spi.failure;

import org.jspecify.annotations.NullMarked;
