/**
 * MQTT 3.1.1 and 5 on blocking sockets: the sending thread writes, one thread per session reads. Implemented from the OASIS standards of
 * both versions; section numbers in comments are those of version 5.
 */
@NullMarked
package io.brokermeter.driver.mqtt;

import org.jspecify.annotations.NullMarked;
