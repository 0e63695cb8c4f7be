package io.brokermeter.hosts.activemq;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;

import org.apache.activemq.broker.Broker;
import org.apache.activemq.broker.BrokerFilter;
import org.apache.activemq.broker.ConnectionContext;
import org.apache.activemq.broker.region.Destination;
import org.apache.activemq.command.ActiveMQDestination;
import org.apache.activemq.command.ConnectionInfo;
import org.apache.activemq.command.DestinationInfo;
import org.jspecify.annotations.Nullable;

/**
 * A broker filter that admits one user alone, and refuses to create some destinations. The broker's own plugin for users
 * needs another module.
 */
final class Guard extends BrokerFilter {

    private final @Nullable String user;
    private final @Nullable String password;
    private final List<String> forbidden;

    /**
     * @param user null to admit every user
     * @param forbidden prefixes of destinations
     */
    Guard(Broker next, @Nullable String user, @Nullable String password, List<String> forbidden) {
        super(next);
        this.user = user;
        this.password = password;
        this.forbidden = List.copyOf(forbidden);
    }

    @Override
    public void addConnection(ConnectionContext context, ConnectionInfo info) throws Exception {
        String given = info.getPassword();
        if (user != null && password != null && !(user.equals(info.getUserName()) && given != null && MessageDigest.isEqual(
            password.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8)))) {
            throw new SecurityException("User name or password is wrong.");
        }
        super.addConnection(context, info);
    }

    @Override
    public Destination addDestination(ConnectionContext context, ActiveMQDestination destination, boolean createIfTemp) throws Exception {
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
        if (forbidden.stream().anyMatch(prefix -> name.equals(prefix) || name.startsWith(prefix + "."))) {
            throw new SecurityException("The creation of " + destination.getQualifiedName() + " is forbidden on this broker.");
        }
    }
}
