/** An SSH server for tests of agents. */
@NullMarked
package io.brokermeter.contract.ssh;

import org.jspecify.annotations.NullMarked;
