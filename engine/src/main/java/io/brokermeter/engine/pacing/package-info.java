/**
 * When each message is due, and how a thread waits for that moment.
 */
@NullMarked
package io.brokermeter.engine.pacing;

import org.jspecify.annotations.NullMarked;
