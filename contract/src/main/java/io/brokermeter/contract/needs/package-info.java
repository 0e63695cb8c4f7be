/** What a test needs of a driver or its broker, and tests that are left out without it. */
@NullMarked
package io.brokermeter.contract.needs;

import org.jspecify.annotations.NullMarked;
