/** The contract of a driver, one interface a subject. */
@NullMarked
package io.brokermeter.contract.subject;

import org.jspecify.annotations.NullMarked;
