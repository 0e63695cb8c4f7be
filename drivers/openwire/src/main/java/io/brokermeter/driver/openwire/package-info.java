/** The driver for OpenWire, the protocol of ActiveMQ Classic, over its own Jakarta Messaging client. */
@NullMarked
package io.brokermeter.driver.openwire;

import org.jspecify.annotations.NullMarked;
