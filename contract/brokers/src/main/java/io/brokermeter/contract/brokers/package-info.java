/** Throwaway brokers as the fixture of the driver contract. */
@NullMarked
package io.brokermeter.contract.brokers;

import org.jspecify.annotations.NullMarked;
