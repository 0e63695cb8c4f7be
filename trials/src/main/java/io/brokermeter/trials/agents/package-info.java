/** One run on several machines: agents, which run shares of it, and the side that conducts them. */
@NullMarked
package io.brokermeter.trials.agents;

import org.jspecify.annotations.NullMarked;
