/**
 * The plan of a run: its connections, producers, consumers and stripes, as a pure function of the scenario.
 */
@NullMarked
package io.brokermeter.engine.plan;

import org.jspecify.annotations.NullMarked;
