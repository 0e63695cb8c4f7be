/**
 * The contract of every driver, as tests. The test class of a driver extends {@link io.brokermeter.contract.DriverContract} and names its
 * broker.
 */
@NullMarked
package io.brokermeter.contract;

import org.jspecify.annotations.NullMarked;
