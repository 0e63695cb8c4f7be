/** Runs and sweeps as they left themselves in their directories; whatever is shown of a past run is made from here. */
@NullMarked
package io.brokermeter.reports.stored;

import org.jspecify.annotations.NullMarked;
