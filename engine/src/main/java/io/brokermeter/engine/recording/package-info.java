/**
 * Counters and histograms of a run, interval by interval, and its result.
 */
@NullMarked
package io.brokermeter.engine.recording;

import org.jspecify.annotations.NullMarked;
