/** Brokermeter's own path of Kafka: it fetches without Kafka's client, over sockets of its own. */
@NullMarked
package io.brokermeter.driver.kafka.fetch;

import org.jspecify.annotations.NullMarked;
