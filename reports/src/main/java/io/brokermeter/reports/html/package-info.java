/** Formats runs and sweeps as one HTML file each, which needs nothing else and is made from their stored files alone. */
@NullMarked
package io.brokermeter.reports.html;

import org.jspecify.annotations.NullMarked;
