/** Tables of one run, a row for each interval. */
@NullMarked
package io.brokermeter.reports.csv;

import org.jspecify.annotations.NullMarked;
