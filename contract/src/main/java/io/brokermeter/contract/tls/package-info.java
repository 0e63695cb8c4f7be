/**
 * TLS for tests: certificates that are made on the spot, a front that speaks it before a broker that does not, and what every
 * driver with TLS must do, {@link io.brokermeter.contract.tls.TlsContract}.
 */
@NullMarked
package io.brokermeter.contract.tls;

import org.jspecify.annotations.NullMarked;
