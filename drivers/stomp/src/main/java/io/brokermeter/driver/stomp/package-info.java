/** STOMP 1.0 to 1.2 directly on blocking sockets, without a client library. */
@NullMarked
package io.brokermeter.driver.stomp;

import org.jspecify.annotations.NullMarked;
