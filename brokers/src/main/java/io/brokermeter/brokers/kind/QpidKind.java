package io.brokermeter.brokers.kind;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerGroup;
import io.brokermeter.brokers.process.BrokerProcess;

/**
 * The broker kind Qpid Broker-J, resolved from Maven Central, so that AMQP 0-9-1 needs no installed program. A persistent broker stores
 * messages in Derby, which is slow; otherwise it stores them in memory, where AMQP 1.0 clients must not send durable ones. The properties
 * are context variables of the broker.
 */
public final class QpidKind extends HostKind {

    private static final List<String> MODULES = List.of("qpid-broker-core", "qpid-broker-plugins-amqp-0-8-protocol",
        "qpid-broker-plugins-amqp-1-0-protocol", "qpid-broker-plugins-amqp-msg-conv-0-8-to-1-0",
        "qpid-broker-plugins-memory-store", "qpid-broker-plugins-derby-store");

    public QpidKind() {
        super("qpid", "Qpid Broker-J", "qpid.QpidHost", "10.1.0", "AMQP091", "AMQP");
        features(Feature.LOGIN);
    }

    @Override
    public List<String> roots(String version) {
        return Stream.concat(MODULES.stream().map(module -> "org.apache.qpid:" + module + ":" + version), Stream.of(LOGGER)).toList();
    }

    @Override
    public Broker start(BrokerGroup group) throws BrokerException {
        BrokerProcess process = group.startAlone(group.command());
        Map<String, String> urls = new LinkedHashMap<>();
        urls.put("AMQP091", "amqp://127.0.0.1:" + process.port());
        urls.put("AMQP", "amqp://127.0.0.1:" + process.ports().port("AMQP"));
        return group.broker(urls, List.of(process));
    }
}
