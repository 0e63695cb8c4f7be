/** The driver for Apache Kafka over its own client, with consumer groups, share groups and transactions. */
@NullMarked
package io.brokermeter.driver.kafka;

import org.jspecify.annotations.NullMarked;
