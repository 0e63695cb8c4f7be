/** How sure figures of a run are: sections of a run and the intervals made of them. */
@NullMarked
package io.brokermeter.engine.recording.confidence;

import org.jspecify.annotations.NullMarked;
