/**
 * A transport for the CORE client that costs few wake-ups and system calls: threads that send write to the socket
 * themselves, one thread per connection reads, and small packets leave together. Entered through
 * {@link io.brokermeter.driver.core.direct.DirectTransport}.
 */
@NullMarked
package io.brokermeter.driver.core.direct;

import org.jspecify.annotations.NullMarked;
