/** What Linux reports below {@code /proc} about processes, processors and sockets, read and parsed, and the environment that processes get from this one. This package uses the JDK alone. */
@NullMarked
package io.brokermeter.proc;

import org.jspecify.annotations.NullMarked;
