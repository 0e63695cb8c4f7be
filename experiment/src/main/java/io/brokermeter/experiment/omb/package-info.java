/** Files of the OpenMessaging Benchmark, read as scenarios. */
@NullMarked
package io.brokermeter.experiment.omb;

import org.jspecify.annotations.NullMarked;
