/** Tables of several runs side by side, with figures that were published elsewhere about the same work. */
@NullMarked
package io.brokermeter.reports.table;

import org.jspecify.annotations.NullMarked;
