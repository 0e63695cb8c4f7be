/** Where jars of brokers come from. */
@NullMarked
package io.brokermeter.brokers.artifact;

import org.jspecify.annotations.NullMarked;
