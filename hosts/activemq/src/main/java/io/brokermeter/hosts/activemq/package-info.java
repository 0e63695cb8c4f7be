/**
 * The child process that runs an embedded ActiveMQ Classic. The jars of the broker are of the version that the user asked
 * for, so only what is the same in all of them is used.
 */
@NullMarked
package io.brokermeter.hosts.activemq;

import org.jspecify.annotations.NullMarked;
