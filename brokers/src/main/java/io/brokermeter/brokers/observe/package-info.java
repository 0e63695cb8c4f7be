/**
 * Observation of the resources that a broker under test uses on its machine, from outside: from {@code /proc}, over JMX, from a Prometheus
 * endpoint. Each source has a thread of its own and can fail or hang without disturbing the run or the others.
 */
@NullMarked
package io.brokermeter.brokers.observe;

import org.jspecify.annotations.NullMarked;
