/**
 * A network that is not there: distance, a narrow line and interruptions between clients and a broker, without help of the broker or of
 * its protocol. This package uses the JDK alone and knows nothing of brokers or runs.
 */
@NullMarked
package io.brokermeter.network;

import org.jspecify.annotations.NullMarked;
