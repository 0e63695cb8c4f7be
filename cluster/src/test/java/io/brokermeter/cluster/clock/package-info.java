@NullMarked
package io.brokermeter.cluster.clock;

import org.jspecify.annotations.NullMarked;
