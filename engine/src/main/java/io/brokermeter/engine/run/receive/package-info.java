/** The receiving side of a run: receivers, repliers, and quotas of messages. */
@NullMarked
package io.brokermeter.engine.run.receive;

import org.jspecify.annotations.NullMarked;
