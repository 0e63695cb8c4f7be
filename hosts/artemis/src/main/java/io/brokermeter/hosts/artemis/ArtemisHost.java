package io.brokermeter.hosts.artemis;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.hosts.EmbeddedBroker;
import io.brokermeter.hosts.HostArguments;
import io.brokermeter.hosts.HostProgram;
import io.brokermeter.hosts.Ports;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.io.aio.AIOSequentialFileFactory;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptor;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptorFactory;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.server.files.FileStoreMonitor;
import org.apache.activemq.artemis.core.server.impl.ActiveMQServerImpl;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.jspecify.annotations.Nullable;

/**
 * Main class of the child process of an Artemis broker. Its settings: {@code user}, with the secret {@code user}; {@code address}, the
 * address it listens on; {@code key-store}, with the secret {@code key-store}; {@code forbid}, any number of address prefixes under which
 * nothing is created automatically; {@code journal}, one of nio, asyncio, mapped; and for a broker of a pair {@code role}, primary or
 * backup, {@code peer}, the port of the other, {@code store}, the directory that both share, and the secret {@code pair}.
 */
public final class ArtemisHost implements EmbeddedBroker {

    private static final String ACCEPTOR = "all";
    /**
     * The time for which the journal gathers writes before it flushes them, in nanoseconds. The library's default of 3.3 ms
     * delays every synchronous durable send, and 0 writes each message by itself, at a tenth of the rate;
     * {@code artemis create} sets a value that it measures on the disk.
     */
    private static final int JOURNAL_BUFFER_NANOS = 100_000;
    private static final int ACTIVATION_SECONDS = 120;
    private static final long DISK_SCAN_MILLIS = 5000;
    private static final int FIRST_WORDS_SECONDS = 60;

    private @Nullable EmbeddedActiveMQ running;
    /** The limit of disk use from before the disk was made full; null while it is not full. */
    private @Nullable Number room;

    ArtemisHost() {}

    public static void main(String[] arguments) {
        HostProgram.run(new ArtemisHost(), arguments);
    }

    /** Starts the broker. A backup is ready to take over when this returns, but accepts no connections yet. */
    @Override
    public Ports start(HostArguments arguments, DataDirectory data, Map<String, String> secrets) throws Exception {
        ConfigurationImpl configuration = new ConfigurationImpl();
        configuration.setName("brokermeter");
        configuration.setPersistenceEnabled(arguments.persistent());
        configuration.setJMXManagementEnabled(false);
        Path store = arguments.setting("store").map(Path::of).orElseGet(data::path);
        configuration.setBindingsDirectory(store.resolve("bindings").toString());
        configuration.setJournalDirectory(store.resolve("journal").toString());
        configuration.setPagingDirectory(store.resolve("paging").toString());
        configuration.setLargeMessagesDirectory(store.resolve("large-messages").toString());
        configuration.setJournalType(journal(arguments.setting("journal").orElse("nio")));
        configuration.setJournalBufferTimeout_NIO(JOURNAL_BUFFER_NANOS);
        // The default silently blocks all senders once the disk is 90 % full.
        configuration.setMaxDiskUsage(-1);
        // Beyond this size addresses page to disk; the rest of the heap is for messages in flight.
        configuration.setGlobalMaxSize(Runtime.getRuntime().maxMemory() / 2);
        configuration.addAcceptorConfiguration(acceptor(arguments, secrets.get("key-store")));
        configuration.addAddressSetting("#", new AddressSettings()
            .setAutoCreateAddresses(true).setAutoCreateQueues(true)
            .setAutoDeleteAddresses(false).setAutoDeleteQueues(false)
            .setAddressFullMessagePolicy(AddressFullMessagePolicy.PAGE));
        for (String prefix : arguments.all("forbid")) {
            AddressSettings forbidden = new AddressSettings()
                .setAutoCreateAddresses(false).setAutoCreateQueues(false);
            configuration.addAddressSetting(prefix, forbidden);
            configuration.addAddressSetting(prefix + ".#", forbidden);
        }
        EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
        broker.setConfiguration(configuration);
        String user = arguments.setting("user").orElse(null);
        String password = secrets.get("user");
        configuration.setSecurityEnabled(user != null);
        if (user != null && password != null) {
            broker.setSecurityManager(new SingleUser(user, password));
        }
        String role = arguments.setting("role").orElse(null);
        String pair = secrets.get("pair");
        if (role != null && pair != null) {
            StorePair.configure(configuration, arguments, role, pair);
        }
        BrokerProperties.apply(arguments.properties(), configuration);
        AcceptorProperties.checkConnectors(configuration, arguments.properties());
        // A server that does not become active only logs why, and its start returns normally.
        AtomicReference<Exception> inactive = new AtomicReference<>();
        broker.createActiveMQServer();
        broker.getActiveMQServer().registerActivationFailureListener(inactive::set);
        broker.start();
        running = broker;
        if (StorePair.BACKUP.equals(role)) {
            StorePair.awaitAnnouncement(broker.getActiveMQServer());
            return Ports.of(arguments.port());
        }
        if (inactive.get() == null) {
            broker.getActiveMQServer().waitForActivation(ACTIVATION_SECONDS, TimeUnit.SECONDS);
        }
        if (broker.getActiveMQServer().getRemotingService().getAcceptor(ACCEPTOR) instanceof NettyAcceptor acceptor
            && acceptor.isStarted() && acceptor.getActualPort() > 0) {
            AcceptorProperties.check(broker.getActiveMQServer(), arguments.properties());
            return Ports.of(acceptor.getActualPort());
        }
        Exception cause = inactive.get();
        throw new IOException(
            "The broker does not listen on " + address(arguments) + ", port " + arguments.port()
                + (cause == null ? "" : " (" + cause + ")"),
            cause);
    }

    private static JournalType journal(String name) throws IOException {
        JournalType type = JournalType.valueOf(name.toUpperCase(Locale.ROOT));
        // The broker itself would use the other journal, and report that in its log alone.
        if (type == JournalType.ASYNCIO && !AIOSequentialFileFactory.isSupported()) {
            throw new IOException("The journal asyncio needs the library libaio of Linux (package libaio1 or libaio), "
                + "which is not installed here or not usable on this file system; take nio");
        }
        return type;
    }

    private static String address(HostArguments arguments) {
        return arguments.setting("address").orElse("127.0.0.1");
    }

    private static TransportConfiguration acceptor(HostArguments arguments, @Nullable String keyStorePassword) {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put(TransportConstants.HOST_PROP_NAME, address(arguments));
        parameters.put(TransportConstants.PORT_PROP_NAME, arguments.port());
        // By default the broker closes connections from which nothing came for 10 s, for which a client or a machine may stand still.
        parameters.put(TransportConstants.HANDSHAKE_TIMEOUT, FIRST_WORDS_SECONDS);
        String keyStore = arguments.setting("key-store").orElse(null);
        if (keyStore != null && keyStorePassword != null) {
            parameters.put(TransportConstants.SSL_ENABLED_PROP_NAME, true);
            parameters.put(TransportConstants.KEYSTORE_PATH_PROP_NAME, keyStore);
            parameters.put(TransportConstants.KEYSTORE_PASSWORD_PROP_NAME, keyStorePassword);
        }
        return new TransportConfiguration(NettyAcceptorFactory.class.getName(), parameters, ACCEPTOR);
    }

    /**
     * Sets the disk limit so that the disk counts as full, or restores it, and checks the disk at once. Every sender
     * waits while it is full.
     */
    @Override
    public void fill(boolean full) throws Exception {
        ActiveMQServer server = Objects.requireNonNull(running).getActiveMQServer();
        if (!server.isActive()) {
            throw new IllegalStateException(STANDS_BY);
        }
        ActiveMQServerImpl limited = (ActiveMQServerImpl) server;
        FileStoreMonitor monitor = limited.getMonitor();
        if (monitor == null) {
            // Without a disk limit the server has no monitor. At a limit of 1.0 the disk never counts as full.
            monitor = new FileStoreMonitor(server.getScheduledPool(), server.getExecutorFactory().getExecutor(), DISK_SCAN_MILLIS,
                TimeUnit.MILLISECONDS, 1.0, null, FileStoreMonitor.FileStoreMonitorType.MaxDiskUsage);
            limited.injectMonitor(monitor);
            monitor.addStore(server.getConfiguration().getJournalLocation());
        }
        // The monitor applies one limit, and where both are set that of free space.
        boolean ofWhatIsFree = server.getConfiguration().getMinDiskFree() >= 0;
        Number before = room;
        if (full && before == null) {
            room = ofWhatIsFree ? (Number) monitor.getMinDiskFree() : (Number) monitor.getMaxUsage();
            limit(monitor, ofWhatIsFree, ofWhatIsFree ? Long.MAX_VALUE : 0);
        } else if (!full && before != null) {
            limit(monitor, ofWhatIsFree, before);
            room = null;
        }
        monitor.tick();
    }

    private static void limit(FileStoreMonitor monitor, boolean ofWhatIsFree, Number limit) {
        if (ofWhatIsFree) {
            monitor.setMinDiskFree(limit.longValue());
        } else {
            monitor.setMaxUsage(limit.doubleValue());
        }
    }

    @Override
    public void stop() throws Exception {
        if (running != null) {
            running.stop();
        }
    }
}
