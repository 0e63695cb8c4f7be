/**
 * What the drivers over Jakarta Messaging 3 clients share: connection, producer and consumer. A driver adds a connection
 * factory, its URL handling and a capability set.
 */
@NullMarked
package io.brokermeter.driver.jms;

import org.jspecify.annotations.NullMarked;
