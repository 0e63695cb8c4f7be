package io.brokermeter.hosts.activemq;

import java.util.Map;

import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.hosts.Host;
import io.brokermeter.hosts.HostArguments;
import io.brokermeter.hosts.HostProgram;
import io.brokermeter.hosts.Ports;
import org.jspecify.annotations.Nullable;

/**
 * Main class of the child process of an ActiveMQ Classic broker. Its main port speaks OpenWire; the others are called
 * {@code STOMP}, {@code MQTT} and {@code AMQP}. Its settings:
 * <ul>
 * <li>{@code name}: the broker's name, which must differ within a network;
 * <li>{@code user}, with the secret {@code user};
 * <li>{@code key-store}, with the secret {@code key-store}: every port speaks TLS;
 * <li>{@code forbid}, any number of prefixes of destinations that nobody may create;
 * <li>{@code journal}: when the journal is forced to the disk, {@code always}, {@code periodic} or {@code never};
 * <li>{@code store}: the directory of the message store, when it is not in the data directory;
 * <li>{@code role}, {@code slave}: the store is in use by another broker now, and this one waits for it to become free;
 * <li>{@code peer}: the OpenWire URL of the broker to build a network with.
 * </ul>
 */
public final class ActiveMqHost implements Host {

    private @Nullable EmbeddedActiveMq broker;

    private ActiveMqHost() { }

    public static void main(String[] arguments) {
        HostProgram.run(new ActiveMqHost(), arguments);
    }

    @Override
    public Ports start(HostArguments arguments, DataDirectory data, Map<String, String> secrets) throws Exception {
        EmbeddedActiveMq started = EmbeddedActiveMq.start(arguments, data, secrets);
        broker = started;
        return started.ports();
    }

    @Override
    public void stop() throws Exception {
        if (broker != null) {
            broker.stop();
        }
    }
}
