/**
 * Reads and parses what Linux reports below {@code /proc} about processes, processors and sockets, and prepares the environment of child
 * processes. This package uses the JDK alone.
 */
@NullMarked
package io.brokermeter.proc;

import org.jspecify.annotations.NullMarked;
