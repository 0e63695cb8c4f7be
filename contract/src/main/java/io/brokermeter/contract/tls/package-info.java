/**
 * TLS for tests: certificates issued at run time, a front that terminates TLS before a broker that does not support it, and the contract of
 * every driver with TLS, {@link io.brokermeter.contract.tls.TlsContract}.
 */
@NullMarked
package io.brokermeter.contract.tls;

import org.jspecify.annotations.NullMarked;
