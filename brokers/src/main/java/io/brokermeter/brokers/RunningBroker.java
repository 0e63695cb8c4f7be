package io.brokermeter.brokers;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A broker over the processes that make it.
 *
 * @param again starts processes again
 * @param end ends the processes and deletes what they leave; it may be called more than once
 */
record RunningBroker(BrokerName name, String title, Map<String, String> urls, List<? extends BrokerNode> nodes, Starter again,
        Runnable end)
        implements
            Broker {

    /** See {@link Broker#startAgain}. */
    interface Starter {
        void startAgain(List<? extends BrokerNode> gone) throws BrokerException;
    }

    RunningBroker {
        // in their order
        urls = Collections.unmodifiableMap(new LinkedHashMap<>(urls));
        nodes = List.copyOf(nodes);
    }

    @Override
    public void startAgain(List<? extends BrokerNode> gone) throws BrokerException {
        again.startAgain(gone);
    }

    @Override
    public void close() {
        end.run();
    }
}
