package io.brokermeter.brokers;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A broker over the processes that make it.
 *
 * @param end ends the processes and deletes what they leave; it may be called more than once
 */
record RunningBroker(BrokerName name, String title, Map<String, String> urls, List<? extends BrokerNode> nodes, Runnable end)
        implements
            Broker {

    RunningBroker {
        // in their order
        urls = Collections.unmodifiableMap(new LinkedHashMap<>(urls));
        nodes = List.copyOf(nodes);
    }

    @Override
    public void close() {
        end.run();
    }
}
