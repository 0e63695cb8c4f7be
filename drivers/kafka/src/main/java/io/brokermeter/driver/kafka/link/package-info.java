/** The connections to brokers over which brokermeter's own path of Kafka sends and fetches. */
@NullMarked
package io.brokermeter.driver.kafka.link;

import org.jspecify.annotations.NullMarked;
