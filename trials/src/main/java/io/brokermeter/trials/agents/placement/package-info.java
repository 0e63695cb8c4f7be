/** Which agent runs what of a plan. */
@NullMarked
package io.brokermeter.trials.agents.placement;

import org.jspecify.annotations.NullMarked;
