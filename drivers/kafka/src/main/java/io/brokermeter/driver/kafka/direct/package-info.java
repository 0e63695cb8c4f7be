/** Brokermeter's own path of Kafka: it sends without Kafka's client, over sockets of its own. */
@NullMarked
package io.brokermeter.driver.kafka.direct;

import org.jspecify.annotations.NullMarked;
