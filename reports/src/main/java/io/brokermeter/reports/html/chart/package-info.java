/** Charts of a page, as data and markup. */
@NullMarked
package io.brokermeter.reports.html.chart;

import org.jspecify.annotations.NullMarked;
