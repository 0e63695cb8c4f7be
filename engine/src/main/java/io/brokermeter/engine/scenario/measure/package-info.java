/** Quantities, their units and names, as thresholds and goals use them. */
@NullMarked
package io.brokermeter.engine.scenario.measure;

import org.jspecify.annotations.NullMarked;
