/**
 * Scenarios, which say what the user asked for: immutable records that know no protocol and no plan.
 */
@NullMarked
package io.brokermeter.engine.scenario;

import org.jspecify.annotations.NullMarked;
