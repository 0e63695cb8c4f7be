/**
 * Whether the generator itself was the limit.
 */
@NullMarked
package io.brokermeter.engine.health;

import org.jspecify.annotations.NullMarked;
