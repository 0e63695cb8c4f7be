package io.brokermeter.driver.kafka.link;

import java.util.List;

import io.brokermeter.spi.failure.DriverException;
import org.apache.kafka.common.Node;
import org.jspecify.annotations.Nullable;

/** Knows which brokers lead partitions. Any thread may call. */
public interface Leaders {

    /** Asks for the leaders of the partitions of a topic, by partition; null for a partition that has none. Blocks. */
    List<@Nullable Node> leaders(String topic) throws DriverException;
}
