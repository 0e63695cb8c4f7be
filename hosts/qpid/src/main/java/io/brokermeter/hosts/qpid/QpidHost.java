package io.brokermeter.hosts.qpid;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.hosts.EmbeddedBroker;
import io.brokermeter.hosts.HostArguments;
import io.brokermeter.hosts.HostProgram;
import io.brokermeter.hosts.Ports;
import org.apache.qpid.server.SystemLauncher;
import org.apache.qpid.server.SystemLauncherListener;
import org.apache.qpid.server.model.Broker;
import org.apache.qpid.server.model.Port;
import org.apache.qpid.server.model.State;
import org.apache.qpid.server.model.SystemConfig;
import org.apache.qpid.server.model.VirtualHostNode;
import org.apache.qpid.server.model.port.AmqpPort;
import org.jspecify.annotations.Nullable;

/**
 * Main class of the child process of a Qpid broker. Its setting: {@code user}, with the secret {@code user}. Its main port
 * speaks AMQP 0-9-1, another one, {@code AMQP}, speaks AMQP 1.0: the two differ in how they admit clients that name no
 * user. Its properties are context variables of the broker.
 */
public final class QpidHost implements EmbeddedBroker {

    private static final String AUTHENTICATION_DELAY = "connection.maximumAuthenticationDelay";
    private static final String FIRST_WORDS_MILLIS = "60000";

    private @Nullable SystemLauncher launcher;

    private QpidHost() {}

    public static void main(String[] arguments) {
        HostProgram.run(new QpidHost(), arguments);
    }

    @Override
    public Ports start(HostArguments arguments, DataDirectory data, Map<String, String> secrets) throws Exception {
        // Derby, the message store, would write its log into the current directory.
        System.setProperty("derby.stream.error.file", data.resolve("derby.log").toString());
        Path configuration = data.resolve("initial.json");
        String text = Configuration.of(arguments, data.resolve("messages"), secrets.get("user"));
        Files.writeString(configuration, text, StandardCharsets.UTF_8);
        Map<String, String> context = new HashMap<>(arguments.properties());
        context.put("qpid.work_dir", data.resolve("work").toString());
        // The broker sets file permissions itself, by default readable for its group, whatever the umask of the process.
        context.putIfAbsent(SystemConfig.POSIX_FILE_PERMISSIONS, "rw-------");
        // By default the broker closes connections from which nothing came for 2 s, or which have not logged in within 10 s, as those of a
        // client or a machine that stands still for a moment.
        context.putIfAbsent(AmqpPort.PROTOCOL_HANDSHAKE_TIMEOUT, FIRST_WORDS_MILLIS);
        context.putIfAbsent(AUTHENTICATION_DELAY, FIRST_WORDS_MILLIS);
        Map<String, Object> attributes = new HashMap<>();
        attributes.put(SystemConfig.TYPE, "Memory");
        attributes.put(SystemConfig.INITIAL_CONFIGURATION_LOCATION, configuration.toString());
        attributes.put(SystemConfig.STARTUP_LOGGED_TO_SYSTEM_OUT, false);
        attributes.put("context", context);
        Watch watch = new Watch();
        SystemLauncher started = new SystemLauncher(watch);
        launcher = started;
        try {
            started.startup(attributes);
        } finally {
            // The file holds a password.
            Files.delete(configuration);
        }
        return watch.ports(arguments.port());
    }

    @Override
    public void stop() {
        if (launcher != null) {
            launcher.shutdown();
        }
    }

    /** Captures the launched broker, which knows its ports. */
    private static final class Watch extends SystemLauncherListener.DefaultSystemLauncherListener {

        private volatile @Nullable SystemConfig<?> system;
        private volatile @Nullable RuntimeException cause;

        @Override
        public void onContainerResolve(SystemConfig<?> resolved) {
            system = resolved;
        }

        @Override
        public void errorOnStartup(RuntimeException thrown) {
            cause = thrown;
        }

        /** Returns the bound ports. The broker starts even if a port cannot be bound or a store cannot be opened, so this checks both. */
        Ports ports(int asked) throws IOException {
            RuntimeException thrown = cause;
            if (thrown != null) {
                throw thrown;
            }
            SystemConfig<?> found = system;
            if (found == null || !(found.getContainer() instanceof Broker<?> broker)) {
                throw new IOException("There is no broker inside");
            }
            for (VirtualHostNode<?> node : broker.getVirtualHostNodes()) {
                if (node.getVirtualHost() == null || node.getVirtualHost().getState() != State.ACTIVE) {
                    throw new IOException("The virtual host " + node.getName() + " does not start");
                }
            }
            Collection<Port<?>> ports = broker.getPorts();
            int main = bound(ports, Configuration.MAIN_PORT, asked);
            int other = bound(ports, Configuration.AMQP_1_0_PORT, 0);
            return new Ports(main, Map.of(Configuration.AMQP_1_0_PORT, other));
        }

        private static int bound(Collection<Port<?>> ports, String name, int asked) throws IOException {
            for (Port<?> port : ports) {
                if (port.getName().equals(name) && port.getState() == State.ACTIVE && port instanceof AmqpPort<?> amqp
                    && amqp.getBoundPort() > 0) {
                    return amqp.getBoundPort();
                }
            }
            throw new IOException("The broker does not listen on 127.0.0.1:" + asked);
        }
    }
}
