/** One class for each broker. */
@NullMarked
package io.brokermeter.brokers.kind;

import org.jspecify.annotations.NullMarked;
