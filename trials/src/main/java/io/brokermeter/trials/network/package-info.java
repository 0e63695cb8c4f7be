/** Distance and interruptions between a run and its broker. */
@NullMarked
package io.brokermeter.trials.network;

import org.jspecify.annotations.NullMarked;
