/** What both ways of speaking AMQP 0-9-1 share: parameters, the mapping of destinations, and the books on sends. */
@NullMarked
package io.brokermeter.driver.amqp091.model;

import org.jspecify.annotations.NullMarked;
