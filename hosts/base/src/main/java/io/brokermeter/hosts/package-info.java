/**
 * What the programs that run a broker in a child process have in common: their arguments, their two lines of output, and
 * an end that comes with the parent's.
 */
@NullMarked
package io.brokermeter.hosts;

import org.jspecify.annotations.NullMarked;
