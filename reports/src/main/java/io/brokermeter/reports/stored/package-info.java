/** Reads runs and sweeps from the files in their directories; everything that is shown of a past run is made from here. */
@NullMarked
package io.brokermeter.reports.stored;

import org.jspecify.annotations.NullMarked;
