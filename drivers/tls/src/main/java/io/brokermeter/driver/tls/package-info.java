/** TLS for all drivers: its parameters, contexts from files, and the reason of a failed handshake in one sentence. */
@NullMarked
package io.brokermeter.driver.tls;

import org.jspecify.annotations.NullMarked;
