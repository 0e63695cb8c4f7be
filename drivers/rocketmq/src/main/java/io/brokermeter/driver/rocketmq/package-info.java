/**
 * The driver for RocketMQ by its remoting protocol, over Apache's own Java client. Producers of a connection share one client instance;
 * every consumer has one of its own, since an instance can be in a consumer group only once.
 */
@NullMarked
package io.brokermeter.driver.rocketmq;

import org.jspecify.annotations.NullMarked;
