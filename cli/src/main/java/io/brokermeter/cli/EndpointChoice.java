package io.brokermeter.cli;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.cli.RunCommand.Endpoints;
import io.brokermeter.cli.options.ConnectionOptions;
import io.brokermeter.cli.options.ConsumerConnectionOptions;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Secret;
import io.brokermeter.spi.UrlLogin;
import org.jspecify.annotations.Nullable;

/** Which protocol, URL and login each side uses. */
final class EndpointChoice {

    /** The protocol whose client the user brings along, and its parameter for that client's jars. */
    private static final String PROVIDER_PROTOCOL = "JMS";
    private static final String PROVIDER_JARS = "client-jars";

    private final Drivers drivers;
    private final ConnectionOptions connection;
    private final @Nullable ConsumerConnectionOptions consumers;
    private final String protocol;
    private final String consumerProtocol;

    /**
     * @param otherwise the protocol when nothing says which
     * @throws UsageException for a protocol that there is not
     */
    EndpointChoice(Drivers drivers, RunCommand command, String otherwise) {
        this.drivers = drivers;
        connection = command.connection;
        consumers = command.consumerConnection();
        protocol = connection.protocol != null
                ? drivers.named(connection.protocol, "--protocol") : drivers.ofUrl(connection.url, otherwise);
        if (consumers == null) {
            consumerProtocol = protocol;
        } else if (consumers.protocol != null) {
            consumerProtocol = drivers.named(consumers.protocol, "--consumer-protocol");
        } else {
            consumerProtocol = connection.protocol != null ? protocol : drivers.ofUrl(consumers.url, protocol);
        }
    }

    /** Whether both sides have a URL, so that no broker needs to be found or started. */
    boolean isComplete(RunCommand command) {
        boolean producersHave = command.load() == null || connection.url != null;
        boolean consumersHave = command.consumers() == null || connection.url != null
                || consumers != null && consumers.url != null;
        return producersHave && consumersHave;
    }

    /** Refuses protocols that the broker does not speak which is to be started. */
    void requireServed(Throwaway broker) {
        for (String name : new String[] {protocol, consumerProtocol}) {
            if (broker.protocols().contains(name)) {
                continue;
            }
            String others = Broker.names().stream().filter(other -> Broker.protocols(BrokerName.parse(other)).contains(name))
                    .collect(Collectors.joining(" or --broker "));
            if (connection.broker == null) {
                throw new UsageException("Protocol " + name + " needs --url, for example "
                        + drivers.get(name).schemes().stream().sorted().findFirst().orElse(name.toLowerCase(Locale.ROOT))
                        + "://..., " + (others.isEmpty() ? "" : "or --broker " + others + ", ")
                        + "because the default broker, " + broker.name() + ", does not speak it.");
            }
            throw new UsageException("Broker " + broker.name() + " does not speak " + name + ", but "
                    + String.join(", ", broker.protocols()) + (others.isEmpty() ? "; " + name + " needs --url."
                    : "; --broker " + others + " does."));
        }
    }

    /** The protocol of the side that sends; of the other one in a command that only receives. */
    String protocol() {
        return protocol;
    }

    /**
     * Both endpoints.
     *
     * @param urls the URL, by protocol, for a side that has none of its own
     */
    Endpoints endpoints(UnaryOperator<String> urls, @Nullable Secret password, @Nullable Secret consumerPassword) {
        try {
            return chosen(urls, password, consumerPassword);
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    private Endpoints chosen(UnaryOperator<String> urls, @Nullable Secret password, @Nullable Secret consumerPassword) {
        String url = connection.url == null ? urls.apply(protocol) : connection.url;
        Map<String, String> properties = properties();
        Endpoint sending = new Endpoint(protocol,
                new ConnectionSettings(url, connection.user, password, null, connection.connectTimeout, properties));
        ConnectionSettings settings = new ConnectionSettings(
                url, connection.user, password, connection.clientId, connection.connectTimeout, properties);
        if (consumers != null) {
            String other = connection.url == null ? urls.apply(consumerProtocol) : connection.url;
            boolean own = consumers.user != null;
            settings = new ConnectionSettings(
                    consumers.url != null ? consumers.url : own ? UrlLogin.strip(other) : other,
                    own ? consumers.user : connection.user,
                    consumerPassword != null ? consumerPassword : own && password == null ? null : password,
                    connection.clientId, connection.connectTimeout, consumerProperties(consumers, properties));
        }
        return new Endpoints(sending, new Endpoint(consumerProtocol, settings));
    }

    private Map<String, String> properties() {
        Map<String, String> properties = NamedValues.parse(connection.properties, "--property");
        if (connection.clientJars != null) {
            if (!protocol.equals(PROVIDER_PROTOCOL) && !consumerProtocol.equals(PROVIDER_PROTOCOL)) {
                throw new UsageException("--client-jars needs --protocol " + PROVIDER_PROTOCOL + "; protocol " + protocol
                        + " brings its own client.");
            }
            if (protocol.equals(PROVIDER_PROTOCOL)) {
                properties.put(PROVIDER_JARS, connection.clientJars);
            }
        }
        return properties;
    }

    private Map<String, String> consumerProperties(ConsumerConnectionOptions options, Map<String, String> shared) {
        Map<String, String> properties = new LinkedHashMap<>();
        if (consumerProtocol.equals(protocol)) {
            properties.putAll(shared);
        } else if (consumerProtocol.equals(PROVIDER_PROTOCOL) && connection.clientJars != null) {
            properties.put(PROVIDER_JARS, connection.clientJars);
        }
        properties.putAll(NamedValues.parse(options.properties, "--consumer-property"));
        return properties;
    }
}
