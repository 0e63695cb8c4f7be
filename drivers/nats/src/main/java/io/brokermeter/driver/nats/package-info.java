/** NATS: core subjects, which lose what nobody is there to receive, and JetStream's streams, which keep it. */
@NullMarked
package io.brokermeter.driver.nats;

import org.jspecify.annotations.NullMarked;
