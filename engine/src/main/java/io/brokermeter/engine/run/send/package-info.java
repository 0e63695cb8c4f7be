/** The sending side of a run: threads, stages of the load, senders and their windows. */
@NullMarked
package io.brokermeter.engine.run.send;

import org.jspecify.annotations.NullMarked;
