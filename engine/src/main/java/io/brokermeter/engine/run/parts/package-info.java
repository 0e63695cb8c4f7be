/** A run of one or more parts: what each hands over, how they go in step, and how a result is made of them. */
@NullMarked
package io.brokermeter.engine.run.parts;

import org.jspecify.annotations.NullMarked;
