/** The driver for beanstalkd. */
@NullMarked
package io.brokermeter.driver.beanstalkd;

import org.jspecify.annotations.NullMarked;
