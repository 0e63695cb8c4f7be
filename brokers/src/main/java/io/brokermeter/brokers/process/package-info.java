/** Processes of brokers, their output, their end. */
@NullMarked
package io.brokermeter.brokers.process;

import org.jspecify.annotations.NullMarked;
