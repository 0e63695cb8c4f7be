/** Pictures of runs and comparisons, as parts of a page, as SVG files, and as PNG files. */
@NullMarked
package io.brokermeter.reports.picture;

import org.jspecify.annotations.NullMarked;
