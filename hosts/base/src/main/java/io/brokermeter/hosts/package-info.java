/**
 * The common part of the programs that run a broker in a child process: their arguments, their lines of input and
 * output, and their end together with the parent's.
 */
@NullMarked
package io.brokermeter.hosts;

import org.jspecify.annotations.NullMarked;
