/** The client library as a whole: its system properties, its properties that a user may set, and the thread of its callbacks. */
@NullMarked
package io.brokermeter.driver.rocketmq.library;

import org.jspecify.annotations.NullMarked;
