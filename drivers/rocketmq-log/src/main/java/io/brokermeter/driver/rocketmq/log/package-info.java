/** The log of RocketMQ's libraries, for the driver and for a RocketMQ that is started. */
@NullMarked
package io.brokermeter.driver.rocketmq.log;

import org.jspecify.annotations.NullMarked;
