/**
 * What every driver must do, as tests: a driver's test class extends {@link io.brokermeter.contract.DriverContract} and
 * names its broker.
 */
@NullMarked
package io.brokermeter.contract;

import org.jspecify.annotations.NullMarked;
