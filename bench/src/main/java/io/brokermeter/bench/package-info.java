/** Performance measurements: paired runs against other tools, and the cost of the harness alone. Not part of the distribution. */
@NullMarked
package io.brokermeter.bench;

import org.jspecify.annotations.NullMarked;
