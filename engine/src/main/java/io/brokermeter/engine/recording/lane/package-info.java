/** What threads write while a run lasts: counters and activity, without locks. */
@NullMarked
package io.brokermeter.engine.recording.lane;

import org.jspecify.annotations.NullMarked;
