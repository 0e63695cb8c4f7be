/**
 * The observation of the generator and its machine during a run, and the verdict whether the generator itself was the limit.
 */
@NullMarked
package io.brokermeter.engine.health;

import org.jspecify.annotations.NullMarked;
