/** The JMS driver: any Jakarta Messaging provider, whose jars the user supplies. */
@NullMarked
package io.brokermeter.driver.jakarta;

import org.jspecify.annotations.NullMarked;
