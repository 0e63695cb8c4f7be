package io.brokermeter.hosts.activemq;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

import org.apache.activemq.broker.Broker;
import org.apache.activemq.broker.BrokerFilter;
import org.apache.activemq.broker.ConnectionContext;
import org.apache.activemq.command.ConnectionInfo;

/** Lets one user do everything, and nobody else in. The broker's own plugin for that needs a module more. */
final class SingleUser extends BrokerFilter {

    private final String name;
    private final byte[] password;

    SingleUser(Broker next, String name, String password) {
        super(next);
        this.name = name;
        this.password = password.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void addConnection(ConnectionContext context, ConnectionInfo info) throws Exception {
        String given = info.getPassword();
        if (!name.equals(info.getUserName()) || given == null
                || !MessageDigest.isEqual(password, given.getBytes(StandardCharsets.UTF_8))) {
            throw new SecurityException("User name or password is wrong.");
        }
        super.addConnection(context, info);
    }
}
