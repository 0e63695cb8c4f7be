/** What the harness alone costs, on one thread or on three. */
@NullMarked
package io.brokermeter.bench.harness;

import org.jspecify.annotations.NullMarked;
