/**
 * The schedules by which messages are due, and the means by which a thread waits for the moment of each.
 */
@NullMarked
package io.brokermeter.engine.pacing;

import org.jspecify.annotations.NullMarked;
