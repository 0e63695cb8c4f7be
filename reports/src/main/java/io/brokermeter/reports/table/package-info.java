/** Tables of several runs side by side, with what was published about the same work elsewhere. */
@NullMarked
package io.brokermeter.reports.table;

import org.jspecify.annotations.NullMarked;
