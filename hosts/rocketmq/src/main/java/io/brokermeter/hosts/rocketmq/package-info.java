/**
 * The child processes of a RocketMQ cluster: one program that is a name server, a master or a slave, as its settings say.
 * Each is a process of its own with a directory of its own, and all listen on the loopback interface.
 */
@NullMarked
package io.brokermeter.hosts.rocketmq;

import org.jspecify.annotations.NullMarked;
