/** Comparisons and histories as pages: self-contained single files, drawn without scripts. */
@NullMarked
package io.brokermeter.analysis.html;

import org.jspecify.annotations.NullMarked;
