/** What a fault cost: its course, its times and its scorecard. */
@NullMarked
package io.brokermeter.engine.recording.fault;

import org.jspecify.annotations.NullMarked;
