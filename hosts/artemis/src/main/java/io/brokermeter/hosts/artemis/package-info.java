/**
 * The child process that runs an embedded Apache Artemis. It has a class path of its own and knows nothing of the
 * tool but three things: its arguments, the line {@code READY <port>} that it prints when it accepts connections, and
 * its standard input, whose end means that the parent is gone.
 */
@NullMarked
package io.brokermeter.hosts.artemis;

import org.jspecify.annotations.NullMarked;
