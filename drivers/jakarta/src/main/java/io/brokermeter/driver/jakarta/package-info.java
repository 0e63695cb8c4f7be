/** JMS: any Jakarta Messaging provider, whose jars the user brings along. */
@NullMarked
package io.brokermeter.driver.jakarta;

import org.jspecify.annotations.NullMarked;
