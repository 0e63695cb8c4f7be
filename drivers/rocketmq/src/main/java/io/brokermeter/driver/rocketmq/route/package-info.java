/** Where the queues of a topic are, as name servers report it, and what replaces the addresses that they report. */
@NullMarked
package io.brokermeter.driver.rocketmq.route;

import org.jspecify.annotations.NullMarked;
