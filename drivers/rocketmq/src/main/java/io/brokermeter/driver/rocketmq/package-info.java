/**
 * RocketMQ by its remoting protocol, over Apache's own Java client. Producers of a connection share one client instance;
 * every consumer has one of its own, since one instance can take part in a consumer group only once.
 */
@NullMarked
package io.brokermeter.driver.rocketmq;

import org.jspecify.annotations.NullMarked;
