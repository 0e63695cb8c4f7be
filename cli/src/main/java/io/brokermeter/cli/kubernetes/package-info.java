/** The command that writes manifests for agents in a cluster. */
@NullMarked
package io.brokermeter.cli.kubernetes;

import org.jspecify.annotations.NullMarked;
