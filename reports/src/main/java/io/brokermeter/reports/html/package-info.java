/** Runs and sweeps as one HTML file that needs nothing else: made from their files alone. */
@NullMarked
package io.brokermeter.reports.html;

import org.jspecify.annotations.NullMarked;
