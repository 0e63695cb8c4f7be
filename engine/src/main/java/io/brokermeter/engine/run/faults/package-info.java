/** Faults of a scenario, and when they are made. */
@NullMarked
package io.brokermeter.engine.run.faults;

import org.jspecify.annotations.NullMarked;
