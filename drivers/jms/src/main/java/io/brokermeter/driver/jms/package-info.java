/**
 * The base of the drivers that use a Jakarta Messaging 3 client: connection, producer and consumer. A driver adds a connection factory, its
 * URL handling and a set of capabilities.
 */
@NullMarked
package io.brokermeter.driver.jms;

import org.jspecify.annotations.NullMarked;
