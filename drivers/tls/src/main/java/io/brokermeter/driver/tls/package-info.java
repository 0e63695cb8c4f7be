/** What drivers share of TLS: its parameters, contexts from files, and the reason of a refused handshake in one sentence. */
@NullMarked
package io.brokermeter.driver.tls;

import org.jspecify.annotations.NullMarked;
