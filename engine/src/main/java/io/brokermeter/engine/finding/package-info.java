/**
 * What a run finds out about itself, as data, and the sentences for it.
 */
@NullMarked
package io.brokermeter.engine.finding;

import org.jspecify.annotations.NullMarked;
