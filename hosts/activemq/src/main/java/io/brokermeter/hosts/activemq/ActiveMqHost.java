package io.brokermeter.hosts.activemq;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.KeyManagerFactory;

import io.brokermeter.hosts.BeanPropertySetter;
import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.hosts.EmbeddedBroker;
import io.brokermeter.hosts.FreePort;
import io.brokermeter.hosts.HostArguments;
import io.brokermeter.hosts.HostProgram;
import io.brokermeter.hosts.Ports;
import io.brokermeter.hosts.RefusedProperty;
import org.apache.activemq.broker.BrokerPlugin;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.SslContext;
import org.apache.activemq.broker.TransportConnector;
import org.apache.activemq.broker.region.policy.PolicyEntry;
import org.apache.activemq.broker.region.policy.PolicyMap;
import org.apache.activemq.network.NetworkConnector;
import org.apache.activemq.store.SharedFileLocker;
import org.apache.activemq.store.kahadb.KahaDBPersistenceAdapter;
import org.apache.activemq.transport.tcp.TcpTransport;
import org.apache.activemq.usage.StoreUsage;
import org.apache.activemq.usage.SystemUsage;
import org.apache.activemq.usage.TempUsage;
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
 * <li>{@code port.STOMP} and the like: another port than any free one;
 * <li>{@code peer}: the OpenWire URL of the broker to build a network with.
 * </ul>
 */
public final class ActiveMqHost implements EmbeddedBroker {

    /** Prefix of the properties that configure client connections, in ActiveMQ's own terms. */
    private static final String TRANSPORT = "transport.";
    /** The interval at which a slave checks whether the store has become free, in milliseconds. */
    private static final long LOCK_POLL_MILLIS = 100;
    private static final Duration NETWORK_LIMIT = Duration.ofMinutes(2);
    private static final String OPENWIRE = "OPENWIRE";
    private static final Map<String, String> TRANSPORTS = transports();

    /** The smallest limit that {@link #fill} sets, in bytes: even a store that holds only the first file of its journal exceeds it. */
    private static final long NO_ROOM = 4096;

    private @Nullable BrokerService running;
    /** The limits of the store and of temporary files from before the disk was made full, in bytes; null while it is not full. */
    private long @Nullable [] room;

    private ActiveMqHost() {}

    public static void main(String[] arguments) {
        HostProgram.run(new ActiveMqHost(), arguments);
    }

    private static Map<String, String> transports() {
        Map<String, String> transports = new LinkedHashMap<>();
        transports.put(OPENWIRE, "tcp");
        transports.put("STOMP", "stomp");
        transports.put("MQTT", "mqtt");
        transports.put("AMQP", "amqp");
        return transports;
    }

    /** Starts the broker. A slave accepts no connections yet when this returns. */
    @Override
    public Ports start(HostArguments arguments, DataDirectory data, Map<String, String> secrets) throws Exception {
        boolean slave = arguments.setting("role").filter("slave"::equals).isPresent();
        BrokerService broker = new BrokerService();
        broker.setBrokerName(arguments.setting("name").orElse("brokermeter"));
        broker.setUseJmx(false);
        // The host program decides when this broker ends.
        broker.setUseShutdownHook(false);
        broker.setSchedulerSupport(false);
        broker.setDataDirectory(data.resolve("data").toString());
        broker.setPersistent(arguments.persistent());
        if (arguments.persistent()) {
            broker.setPersistenceAdapter(store(arguments, data));
        }
        limit(broker.getSystemUsage(), data.resolve("data").toFile());
        PolicyMap policies = new PolicyMap();
        policies.setDefaultEntry(new PolicyEntry());
        broker.setDestinationPolicy(policies);
        if (secrets.containsKey("user") || !arguments.all("forbid").isEmpty()) {
            broker.setPlugins(new BrokerPlugin[] {next -> new Guard(next, arguments.setting("user").orElse(null),
                secrets.get("user"), arguments.all("forbid"))});
        }
        String keyStore = arguments.setting("key-store").orElse(null);
        String keyStorePassword = secrets.get("key-store");
        boolean tls = keyStore != null && keyStorePassword != null;
        if (keyStore != null && keyStorePassword != null) {
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(KeyStore.getInstance(new File(keyStore), keyStorePassword.toCharArray()), keyStorePassword.toCharArray());
            broker.setSslContext(new SslContext(keys.getKeyManagers(), null, null));
        }
        Map<String, String> properties = new LinkedHashMap<>(arguments.properties());
        Map<String, TransportConnector> connectors = connectors(arguments, tls, slave, sockets(properties));
        for (TransportConnector connector : connectors.values()) {
            broker.addConnector(connector);
        }
        NetworkConnector network = arguments.setting("peer").isEmpty() ? null
            : broker.addNetworkConnector(URI.create("static:(" + arguments.setting("peer").get() + ")"));
        if (network != null) {
            network.setDuplex(true);
            arguments.setting("user").ifPresent(network::setUserName);
            network.setPassword(secrets.get("user"));
        }
        BeanPropertySetter.set(properties, broker);

        broker.setStartAsync(slave);
        broker.start();
        Map<String, Integer> bound = new LinkedHashMap<>();
        if (slave) {
            connectors.forEach((protocol, connector) -> bound.put(protocol, connector.getUri().getPort()));
        } else {
            if (!broker.waitUntilStarted()) {
                throw new IOException("The broker is not started.");
            }
            for (TransportConnector connector : broker.getTransportConnectors()) {
                bound.put(connector.getName(), connector.getConnectUri().getPort());
            }
        }
        if (network != null) {
            await(network);
        }
        int main = bound.getOrDefault(OPENWIRE, arguments.port());
        bound.remove(OPENWIRE);
        running = broker;
        return new Ports(main, bound);
    }

    private static KahaDBPersistenceAdapter store(HostArguments arguments, DataDirectory data) throws IOException {
        KahaDBPersistenceAdapter store = new KahaDBPersistenceAdapter();
        store.setDirectory(arguments.setting("store").map(File::new).orElseGet(() -> data.resolve("kahadb").toFile()));
        store.setJournalDiskSyncStrategy(arguments.setting("journal").orElse("always").toUpperCase(Locale.ROOT));
        SharedFileLocker locker = new SharedFileLocker();
        locker.setLockAcquireSleepInterval(LOCK_POLL_MILLIS);
        store.setLocker(locker);
        return store;
    }

    /** Sets the limits beyond which the broker makes senders wait; its default limits suit a machine that it has to itself. */
    private static void limit(SystemUsage usage, File directory) {
        File existing = directory;
        while (!existing.exists() && existing.getParentFile() != null) {
            existing = existing.getParentFile();
        }
        long space = existing.getUsableSpace();
        usage.getMemoryUsage().setLimit(Runtime.getRuntime().maxMemory() / 10 * 6);
        usage.getStoreUsage().setLimit(space / 10 * 6);
        usage.getTempUsage().setLimit(space / 10 * 3);
    }

    /**
     * Removes the properties that configure client connections, and returns them as the query of a connector's URI.
     *
     * @throws RefusedProperty if ActiveMQ has no such property and would ignore it silently, or if a value is neither a number nor a word
     */
    private static String sockets(Map<String, String> properties) {
        StringBuilder query = new StringBuilder();
        for (String name : List.copyOf(properties.keySet())) {
            if (name.startsWith(TRANSPORT)) {
                String value = String.valueOf(properties.remove(name));
                String setter = "set" + name.substring(TRANSPORT.length());
                if (Arrays.stream(TcpTransport.class.getMethods()).noneMatch(method -> method.getName().equalsIgnoreCase(setter))) {
                    throw new RefusedProperty("A connection of ActiveMQ has no property '" + name + "', such as "
                        + "transport.socketBufferSize.");
                }
                if (!value.matches("[A-Za-z0-9-]+")) {
                    throw new RefusedProperty("Property " + name + "=" + value + " must be a number or a word.");
                }
                query.append(query.isEmpty() ? '?' : '&').append(name).append('=').append(value);
            }
        }
        return query.toString();
    }

    /** Creates connectors that bind their ports only when the broker becomes active, so that nobody can connect to a waiting slave. */
    private static Map<String, TransportConnector> connectors(HostArguments arguments, boolean tls, boolean slave,
            String query) throws IOException {
        Map<String, TransportConnector> connectors = new LinkedHashMap<>();
        for (Map.Entry<String, String> transport : TRANSPORTS.entrySet()) {
            boolean main = transport.getKey().equals(OPENWIRE);
            String scheme = !tls ? transport.getValue() : main ? "ssl" : transport.getValue() + "+ssl";
            int asked = main ? arguments.port() : arguments.port(transport.getKey());
            TransportConnector connector = new TransportConnector();
            connector.setName(transport.getKey());
            // The ports of a slave must be known before it binds them.
            connector.setUri(URI.create(scheme + "://127.0.0.1:" + (slave ? FreePort.orAsked(asked) : asked) + query));
            connectors.put(transport.getKey(), connector);
        }
        return connectors;
    }

    private static void await(NetworkConnector network) throws IOException {
        long deadline = System.nanoTime() + NETWORK_LIMIT.toNanos();
        while (network.activeBridges().isEmpty()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IOException("The network connection to the other broker is not there after "
                    + NETWORK_LIMIT.toSeconds() + " s.");
            }
            LockSupport.parkNanos(10_000_000);
        }
    }

    /**
     * Lowers the limits of the store and of temporary files below what is in use, which makes senders of persistent messages wait, or
     * restores them.
     */
    @Override
    public void fill(boolean full) {
        BrokerService broker = Objects.requireNonNull(running);
        if (!broker.isPersistent()) {
            throw new IllegalStateException("It stores nothing on its disk.");
        }
        if (broker.isSlave()) {
            throw new IllegalStateException(STANDS_BY);
        }
        StoreUsage store = broker.getSystemUsage().getStoreUsage();
        TempUsage temp = broker.getSystemUsage().getTempUsage();
        long[] before = room;
        if (full && before == null) {
            room = new long[] {store.getLimit(), temp.getLimit()};
            // The percentage of use is an int, so a limit of 1 byte would not do.
            store.setLimit(Math.max(NO_ROOM, store.getUsage() / 2));
            temp.setLimit(Math.max(NO_ROOM, temp.getUsage() / 2));
        } else if (!full && before != null) {
            store.setLimit(before[0]);
            temp.setLimit(before[1]);
            room = null;
        }
    }

    @Override
    public void stop() throws Exception {
        if (running != null) {
            running.stop();
        }
    }
}
