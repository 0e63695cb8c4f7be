/** Connections of a run, their loss and return, and what is polled of the broker through them. */
@NullMarked
package io.brokermeter.engine.run.connect;

import org.jspecify.annotations.NullMarked;
