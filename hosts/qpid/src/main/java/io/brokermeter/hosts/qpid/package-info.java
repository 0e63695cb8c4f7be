/** The child process that runs an embedded Qpid Broker-J. */
@NullMarked
package io.brokermeter.hosts.qpid;

import org.jspecify.annotations.NullMarked;
