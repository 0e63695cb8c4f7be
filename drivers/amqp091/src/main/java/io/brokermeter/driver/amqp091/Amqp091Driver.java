package io.brokermeter.driver.amqp091;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.brokermeter.driver.amqp091.direct.Amqp091Connection;
import io.brokermeter.driver.amqp091.library.RabbitMqConnection;
import io.brokermeter.driver.amqp091.model.ConnectRefusal;
import io.brokermeter.driver.amqp091.model.Options;
import io.brokermeter.driver.amqp091.model.Prefetch;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.Bounded;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionMemory;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.StoreParameter;

/**
 * The driver for AMQP 0-9-1, the protocol of RabbitMQ: directly on a socket, or over {@code com.rabbitmq:amqp-client} for automatic
 * recovery and settings of that client, or if {@code transport=client} asks for it.
 */
public final class Amqp091Driver implements Driver {

    private static final int LONGEST_NAME = 255;

    /** The capabilities of the driver. The protocol has no message groups and no delays, and selectors differ from broker to broker. */
    private static final Set<Capability> CAPABILITIES = Collections.unmodifiableSet(
        EnumSet.complementOf(EnumSet.of(Capability.MESSAGE_GROUPS, Capability.SELECTORS, Capability.DELAYED_DELIVERY)));

    @Override
    public String protocol() {
        return "AMQP091";
    }

    @Override
    public Set<String> schemes() {
        return Set.of("amqp091", "amqp091s", "rabbitmq", "rabbitmqs");
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    @Override
    public Set<Capability> capabilities(ConnectionSettings settings) {
        return new Options(this, settings).capabilities(CAPABILITIES);
    }

    @Override
    public List<Parameter> parameters() {
        return Options.PARAMETERS;
    }

    @Override
    public List<StoreParameter> stores() {
        return TlsOptions.STORES;
    }

    @Override
    public String clientParameters() {
        return "The names that RabbitMQ's Java client reads from a properties file (ssl.trust.store, channel.rpc.timeout,"
            + " client.properties.NAME and the like) are described at https://www.rabbitmq.com/client-libraries/java-api-guide;"
            + " each of them selects transport=client.";
    }

    @Override
    public String client() {
        return "brokermeter's own, " + Options.CLIENT_LIBRARY + " for automatic-recovery and its own settings";
    }

    @Override
    public void check(ConnectionSettings settings) {
        new Options(this, settings);
    }

    @Override
    public void check(ConnectionSettings settings, Destination destination) {
        int bytes = destination.name().getBytes(StandardCharsets.UTF_8).length;
        if (bytes > LONGEST_NAME) {
            throw new IllegalArgumentException("AMQP 0-9-1 allows names of " + LONGEST_NAME + " bytes; that of " + destination
                + " has " + bytes + ".");
        }
    }

    // Not checked where only a destination is given: a queue for replies has the parameters of the topic of its requests.
    @Override
    public void check(ConnectionSettings settings, Destination destination, ProducerSettings producer) {
        new Options(this, settings).check(destination);
    }

    @Override
    public void check(ConnectionSettings settings, Destination destination, ConsumerSettings consumer) {
        new Options(this, settings).check(destination, consumer);
        try {
            Prefetch.of(consumer);
        } catch (DriverException e) {
            throw e.getCause() instanceof Refusal refusal ? refusal : new IllegalArgumentException(e.getMessage(), e);
        }
    }

    @Override
    public String effectiveUrl(ConnectionSettings settings) {
        return new Options(this, settings).shown();
    }

    @Override
    public boolean takesSource(ConnectionSettings settings) {
        return new Options(this, settings).isOwn();
    }

    @Override
    public ConnectionMemory memory(ConnectionSettings settings) {
        return new Options(this, settings).isOwn() ? new ConnectionMemory(12_000, 11_000, 0, 3) : ConnectionMemory.USUAL;
    }

    @Override
    public Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception {
        Options options = new Options(this, settings);
        try {
            return options.isOwn(listener) ? Amqp091Connection.connect(options, settings, listener)
                : Bounded.<Connection>call(settings.connectTimeout(), "brokermeter connecting",
                    () -> RabbitMqConnection.connect(options, settings, listener), Connection::close);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw e;
        } catch (Exception e) {
            throw ConnectRefusal.of(options, settings, e);
        }
    }
}
