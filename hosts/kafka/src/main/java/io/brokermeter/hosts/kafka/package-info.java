/** The child process that runs one node of Apache Kafka, controller and broker in one. */
@NullMarked
package io.brokermeter.hosts.kafka;

import org.jspecify.annotations.NullMarked;
