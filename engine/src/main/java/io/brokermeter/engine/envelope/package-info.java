/**
 * The envelope of every message, the bodies behind it, and the ledger that accounts for every message.
 */
@NullMarked
package io.brokermeter.engine.envelope;

import org.jspecify.annotations.NullMarked;
