/**
 * What exactly will run: connections, producers, consumers and stripes, a pure function of the scenario.
 */
@NullMarked
package io.brokermeter.engine.plan;

import org.jspecify.annotations.NullMarked;
