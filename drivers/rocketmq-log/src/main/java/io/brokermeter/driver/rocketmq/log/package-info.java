/** The log of RocketMQ's libraries, used by the driver and by a RocketMQ broker that brokermeter starts. */
@NullMarked
package io.brokermeter.driver.rocketmq.log;

import org.jspecify.annotations.NullMarked;
