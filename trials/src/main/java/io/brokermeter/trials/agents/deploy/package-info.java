/** Agents that a run starts by itself, here or by SSH. */
@NullMarked
package io.brokermeter.trials.agents.deploy;

import org.jspecify.annotations.NullMarked;
