/** One run on several machines: the agents, which execute shares of it, and the distributed run that leads them. */
@NullMarked
package io.brokermeter.trials.agents;

import org.jspecify.annotations.NullMarked;
