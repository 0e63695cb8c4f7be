package io.brokermeter.hosts.activemq;

import java.util.List;

import org.apache.activemq.broker.Broker;
import org.apache.activemq.broker.BrokerFilter;
import org.apache.activemq.broker.ConnectionContext;
import org.apache.activemq.broker.region.Destination;
import org.apache.activemq.command.ActiveMQDestination;
import org.apache.activemq.command.DestinationInfo;

/** Refuses to create destinations below some prefixes. */
final class ForbiddenDestinations extends BrokerFilter {

    private final List<String> prefixes;

    ForbiddenDestinations(Broker next, List<String> prefixes) {
        super(next);
        this.prefixes = List.copyOf(prefixes);
    }

    @Override
    public Destination addDestination(ConnectionContext context, ActiveMQDestination destination, boolean createIfTemp)
            throws Exception {
        check(destination);
        return super.addDestination(context, destination, createIfTemp);
    }

    @Override
    public void addDestinationInfo(ConnectionContext context, DestinationInfo info) throws Exception {
        check(info.getDestination());
        super.addDestinationInfo(context, info);
    }

    private void check(ActiveMQDestination destination) {
        String name = destination.getPhysicalName();
        for (String prefix : prefixes) {
            if (name.equals(prefix) || name.startsWith(prefix + ".")) {
                throw new SecurityException("Nobody may create " + destination.getQualifiedName() + " on this broker.");
            }
        }
    }
}
