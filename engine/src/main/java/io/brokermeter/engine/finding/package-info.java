/**
 * The findings of a run about itself, as data. The reports make sentences of them.
 */
@NullMarked
package io.brokermeter.engine.finding;

import org.jspecify.annotations.NullMarked;
