/**
 * The header in every message, the bodies behind it, and the ledger that proves what became of them.
 */
@NullMarked
package io.brokermeter.engine.envelope;

import org.jspecify.annotations.NullMarked;
