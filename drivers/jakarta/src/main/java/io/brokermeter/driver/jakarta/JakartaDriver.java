package io.brokermeter.driver.jakarta;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.brokermeter.driver.jms.BrokerUrl;
import io.brokermeter.driver.jms.ConnectFailure;
import io.brokermeter.driver.jms.JmsNames;
import io.brokermeter.spi.Bounded;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.Parameter;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;

/**
 * JMS: any provider of Jakarta Messaging 2 or later whose jars the user supplies. The driver offers what the interfaces specify; features
 * that a provider lacks are refused when they are used.
 */
public final class JakartaDriver implements Driver {

    static final String JARS = "client-jars";

    @Override
    public String protocol() {
        return "JMS";
    }

    @Override
    public Set<String> schemes() {
        return Set.of("jms");
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.complementOf(
            EnumSet.of(Capability.PREFETCH, Capability.DEPTH, Capability.RECONNECT, Capability.REJECT));
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
            new Parameter(JARS, "PATH[,PATH]", "", "Jars, or directories of jars, of the provider."),
            new Parameter("factory", "CLASS", "", "The class of the provider's connection factory; the URL goes to its property"
                + " for that, or to its constructor, unless it is jms:."),
            new Parameter("jndi", "FILE", "", "Properties with which JNDI finds the connection factory; the URL, unless it is"
                + " jms:, becomes java.naming.provider.url."),
            new Parameter("connection-factory", "NAME", "ConnectionFactory", "The name under which JNDI finds it."),
            new Parameter("sends", "auto|async|sync", "auto", "Whether sends wait for the broker one by one; auto does it for"
                + " providers that have no asynchronous sends."));
    }

    @Override
    public String clientParameters() {
        return "factory.NAME=VALUE sets a property of the connection factory by its setter; jndi.NAME=VALUE adds a JNDI"
            + " property; the provider's own documentation lists them.";
    }

    @Override
    public String client() {
        String version = ConnectionFactory.class.getPackage().getImplementationVersion();
        return version == null ? "Jakarta Messaging" : "Jakarta Messaging " + version;
    }

    @Override
    public void check(ConnectionSettings settings) {
        FactorySettings.of(this, settings).check();
    }

    @Override
    public void check(ConnectionSettings settings, Destination destination, ProducerSettings producer) {
        JmsNames.check(producer);
    }

    @Override
    public String effectiveUrl(ConnectionSettings settings) {
        return BrokerUrl.of(settings.url()).redacted();
    }

    @Override
    public Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception {
        long start = System.nanoTime();
        FactorySettings factory = FactorySettings.of(this, settings);
        Duration limit = settings.connectTimeout();
        Opened opened;
        try {
            opened = Bounded.call(limit, "connecting to " + factory.brokerUrl().redacted(), () -> open(factory, settings),
                Opened::close);
        } catch (IllegalArgumentException e) {
            throw new DriverException(String.valueOf(e.getMessage()), e);
        } catch (Exception e) {
            throw ConnectFailure.of(factory.brokerUrl(), false, settings, e, start);
        }
        ProviderConnection connection =
            new ProviderConnection(opened.connection(), opened.factory(), factory.sends(), listener, limit);
        try {
            return Bounded.call(limit.minusNanos(System.nanoTime() - start), "starting the connection to " + factory.brokerUrl().redacted(),
                () -> {
                    connection.start();
                    return connection;
                });
        } catch (Exception e) {
            connection.close();
            throw ConnectFailure.of(factory.brokerUrl(), false, settings, e, start);
        }
    }

    private static Opened open(FactorySettings settings, ConnectionSettings login) throws JMSException {
        // The provider's threads and its look-ups use the context class loader of the connecting thread.
        Thread.currentThread().setContextClassLoader(settings.loader());
        ConnectionFactory factory = settings.make();
        try {
            String user = login.user();
            var password = login.password();
            jakarta.jms.Connection connection = user == null ? factory.createConnection()
                : factory.createConnection(user, password == null ? "" : password.reveal());
            try {
                if (login.clientId() != null) {
                    connection.setClientID(login.clientId());
                }
                // Some providers do not contact the broker before this.
                connection.createSession().close();
                return new Opened(factory, connection);
            } catch (JMSException | RuntimeException e) {
                connection.close();
                throw e;
            }
        } catch (JMSException | RuntimeException e) {
            FactorySettings.close(factory);
            throw e;
        }
    }

    private record Opened(ConnectionFactory factory, jakarta.jms.Connection connection) {

        void close() {
            try {
                connection.close();
            } catch (JMSException e) {
                // the connection has been given up
            }
            FactorySettings.close(factory);
        }
    }
}
