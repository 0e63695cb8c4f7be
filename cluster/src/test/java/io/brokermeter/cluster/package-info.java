/** Tests with real channels on loopback, JVMs that are killed and stopped, and network namespaces where they can be made. */
@NullMarked
package io.brokermeter.cluster;

import org.jspecify.annotations.NullMarked;
