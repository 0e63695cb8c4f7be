package io.brokermeter.hosts.rocketmq;

import java.util.Map;

import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.hosts.EmbeddedBroker;
import io.brokermeter.hosts.HostArguments;
import io.brokermeter.hosts.HostProgram;
import io.brokermeter.hosts.Ports;
import org.apache.rocketmq.common.MQVersion;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.jspecify.annotations.Nullable;

/**
 * Main class of a process of a RocketMQ cluster. Its settings: {@code role}, one of {@code name-server}, {@code master},
 * {@code slave}; for a broker also {@code name-server}, the {@code host:port} of the name server, {@code name}, the broker's
 * name, which a slave shares with its master, and {@code journal}, {@code async-flush} or {@code sync-flush}.
 */
public final class RocketMqHost implements EmbeddedBroker {

    private @Nullable Role running;

    private RocketMqHost() {}

    public static void main(String[] arguments) {
        // RocketMQ's own start scripts do this; without it a broker announces no topic to the name server, and reports no error.
        System.setProperty(RemotingCommand.REMOTING_VERSION_KEY, Integer.toString(MQVersion.CURRENT_VERSION));
        // The partition may be nearly full: what is written here is small and is deleted again.
        System.setProperty("rocketmq.broker.diskSpaceWarningLevelRatio", "0.99");
        System.setProperty("rocketmq.broker.diskSpaceCleanForciblyRatio", "0.98");
        // Otherwise each process creates a certificate, which requires another library.
        System.setProperty("tls.server.mode", "disabled");
        HostProgram.run(new RocketMqHost(), arguments);
    }

    @Override
    public Ports start(HostArguments arguments, DataDirectory data, Map<String, String> secrets) throws Exception {
        String role = arguments.setting("role").orElse("");
        Role started = switch (role) {
            case "name-server" -> NameServer.start(arguments, data);
            case "master", "slave" -> StoringBroker.start(arguments, data, role.equals("slave"));
            default -> throw new IllegalArgumentException("Role '" + role + "' is not name-server, master or slave.");
        };
        running = started;
        return Ports.of(started.port());
    }

    @Override
    public void stop() throws Exception {
        if (running != null) {
            running.stop();
        }
    }

    /** The part that this process plays in a cluster: name server or broker. */
    interface Role {

        int port();

        void stop() throws Exception;
    }
}
