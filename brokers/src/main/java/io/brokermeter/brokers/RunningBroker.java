package io.brokermeter.brokers;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A broker that consists of running processes.
 *
 * @param again starts processes again
 * @param end ends the processes and deletes their files; may be called more than once
 */
public record RunningBroker(BrokerName name, String title, Map<String, String> urls, List<? extends BrokerNode> nodes, Starter again,
        Runnable end)
        implements
            Broker {

    /** Starts processes again, see {@link Broker#startAgain}. */
    public interface Starter {
        void startAgain(List<? extends BrokerNode> gone) throws BrokerException;
    }

    public RunningBroker {
        // keeps the order of the URLs
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
