/** Estimates, intervals and change points: pure functions of numbers. */
@NullMarked
package io.brokermeter.analysis.statistics;

import org.jspecify.annotations.NullMarked;
