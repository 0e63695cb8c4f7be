package io.brokermeter.brokers;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A broker over the processes that make it. */
final class RunningBroker implements Broker {

    private final BrokerName name;
    private final String title;
    private final Map<String, String> urls;
    private final List<? extends BrokerNode> nodes;
    private final Runnable end;

    /**
     * @param urls by protocol, in the order to keep
     * @param nodes the processes, the one that serves first
     * @param end ends the processes and deletes what they leave; it may be called more than once
     */
    RunningBroker(BrokerName name, String title, Map<String, String> urls, List<? extends BrokerNode> nodes, Runnable end) {
        this.name = name;
        this.title = title;
        this.urls = Collections.unmodifiableMap(new LinkedHashMap<>(urls));
        this.nodes = List.copyOf(nodes);
        this.end = end;
    }

    @Override
    public BrokerName name() {
        return name;
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public Map<String, String> urls() {
        return urls;
    }

    @Override
    public List<? extends BrokerNode> nodes() {
        return nodes;
    }

    @Override
    public void close() {
        end.run();
    }
}
