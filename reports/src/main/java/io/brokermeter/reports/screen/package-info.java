/** What a run prints: live line, summary and scorecard. */
@NullMarked
package io.brokermeter.reports.screen;

import org.jspecify.annotations.NullMarked;
