/** Comparisons and histories as pages: one file each, drawn without any script, which needs nothing from anywhere. */
@NullMarked
package io.brokermeter.analysis.html;

import org.jspecify.annotations.NullMarked;
