package io.brokermeter.brokers;

import java.lang.management.ManagementFactory;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

import io.brokermeter.spi.Secret;

/**
 * How a throwaway broker runs. Immutable; each {@code with} method returns a changed copy.
 *
 * @param port       the port it listens on, 0 for any free one
 * @param address    the address of this machine that it listens on; empty for 127.0.0.1
 * @param directory  where its files go; empty for a directory of its own below the system's temporary one. A directory
 *                   that does not exist before is deleted at the end unless {@code keep}, one that exists is kept
 * @param keep       whether its directory with data and logs stays at the end
 * @param persistent whether it keeps a journal, so that persistent messages and durable subscriptions mean something
 * @param journal    the type of that journal in the broker's own words, as {@code nio}; empty for the kind's default
 * @param heap       the greatest heap of each of its JVMs, in the form of {@code -Xmx}
 * @param topology   the arrangement of processes, {@link #SINGLE} or one of the kind's others
 * @param properties the broker's own properties by name
 * @param login      the one user who may connect; empty when all may
 * @param tls        the key store that makes its port a TLS port; empty for plain TCP
 * @param forbidden  address prefixes under which it creates nothing by itself
 * @param startLimit the longest wait for it to accept connections, without the time to fetch it
 * @param training   a file to which its JVM writes an AOT cache (JEP 514) when it is closed, which takes some seconds;
 *                   empty for a run that starts from the cache that is there, if one is
 * @param progress   gets what a long step does, one sentence without a full stop at a time; any thread may call it
 */
public record BrokerOptions(int port, Optional<InetAddress> address, Optional<Path> directory, boolean keep, boolean persistent,
        Optional<String> journal, String heap, String topology, Map<String, String> properties,
        Optional<Login> login, Optional<KeyStore> tls, List<String> forbidden, Duration startLimit,
        Optional<Path> training, Consumer<String> progress) {

    private static final long LEAST_HEAP = 32L << 20;

    /** The topology of one broker by itself. */
    public static final String SINGLE = "single";

    /** A user name with its password. */
    public record Login(String user, Secret password) {}

    /** A key store file with its password. */
    public record KeyStore(Path path, Secret password) {}

    public BrokerOptions {
        forbidden = List.copyOf(forbidden);
        properties = Map.copyOf(properties);
        Objects.requireNonNull(heap);
    }

    /** Any free port, a directory of its own, a journal, a heap of 1 GiB, open to everybody, 60 s to start. */
    public static BrokerOptions defaults() {
        return new Change().made(change -> {});
    }

    /** A path for a directory that does not exist yet: who creates it deletes it, and that is the broker's process. */
    public static Path newDirectory() {
        return Path.of(System.getProperty("java.io.tmpdir"), "brokermeter-" + UUID.randomUUID()).toAbsolutePath();
    }

    /** The address that it listens on, in numbers. */
    String host() {
        return address.map(InetAddress::getHostAddress).orElse("127.0.0.1");
    }

    /** What stands behind the protocol in a URL of it: {@code ://127.0.0.1:61616}. */
    String at(int portOfIt) {
        String host = host();
        return "://" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + portOfIt;
    }

    /** Where its files go: {@link #directory()}, or a new one. */
    Path place() {
        return directory.map(Path::toAbsolutePath).map(Path::normalize).orElseGet(BrokerOptions::newDirectory);
    }

    /**
     * Checks the greatest heap of a broker's JVM.
     *
     * @param text in the form of {@code -Xmx}
     * @throws IllegalArgumentException with the end of a sentence, "is less than ...", when no broker can live in it or this
     *     machine has less memory
     */
    public static void requireHeap(String text) {
        int unit = "kmgt".indexOf(Character.toLowerCase(text.charAt(text.length() - 1)));
        BigInteger bytes = new BigInteger(unit < 0 ? text : text.substring(0, text.length() - 1))
            .shiftLeft(10 * (unit + 1));
        if (bytes.compareTo(BigInteger.valueOf(LEAST_HEAP)) < 0) {
            throw new IllegalArgumentException("is less than " + (LEAST_HEAP >> 20)
                + "m, in which no broker starts; a number without k, m or g is bytes.");
        }
        if (ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean machine
            && bytes.compareTo(BigInteger.valueOf(machine.getTotalMemorySize())) > 0) {
            throw new IllegalArgumentException("is more than the memory of this machine, " + (machine.getTotalMemorySize() >> 20)
                + "m.");
        }
    }

    public BrokerOptions withPort(int newPort) {
        return with(change -> change.port = newPort);
    }

    public BrokerOptions withAddress(InetAddress newAddress) {
        return with(change -> change.address = Optional.of(newAddress));
    }

    public BrokerOptions withDirectory(Path newDirectory) {
        return with(change -> change.directory = Optional.of(newDirectory));
    }

    public BrokerOptions withKeep(boolean newKeep) {
        return with(change -> change.keep = newKeep);
    }

    public BrokerOptions withPersistent(boolean newPersistent) {
        return with(change -> change.persistent = newPersistent);
    }

    public BrokerOptions withJournal(String newJournal) {
        return with(change -> change.journal = Optional.of(newJournal));
    }

    public BrokerOptions withHeap(String newHeap) {
        return with(change -> change.heap = newHeap);
    }

    public BrokerOptions withTopology(String newTopology) {
        return with(change -> change.topology = newTopology);
    }

    public BrokerOptions withProperty(String name, String value) {
        Map<String, String> all = new LinkedHashMap<>(properties);
        all.put(name, value);
        return with(change -> change.properties = all);
    }

    public BrokerOptions withLogin(String user, Secret password) {
        return with(change -> change.login = Optional.of(new Login(user, password)));
    }

    public BrokerOptions withTls(Path keyStore, Secret password) {
        return with(change -> change.tls = Optional.of(new KeyStore(keyStore, password)));
    }

    public BrokerOptions withForbidden(String prefix) {
        List<String> all = new ArrayList<>(forbidden);
        all.add(prefix);
        return with(change -> change.forbidden = all);
    }

    public BrokerOptions withStartLimit(Duration limit) {
        return with(change -> change.startLimit = limit);
    }

    public BrokerOptions withTraining(Path cache) {
        return with(change -> change.training = Optional.of(cache));
    }

    public BrokerOptions withProgress(Consumer<String> listener) {
        return with(change -> change.progress = listener);
    }

    private BrokerOptions with(Consumer<Change> set) {
        return new Change(this).made(set);
    }

    /** The values of the next copy. */
    private static final class Change {

        private int port;
        private Optional<InetAddress> address = Optional.empty();
        private Optional<Path> directory = Optional.empty();
        private boolean keep;
        private boolean persistent = true;
        private Optional<String> journal = Optional.empty();
        private String heap = "1g";
        private String topology = SINGLE;
        private Map<String, String> properties = Map.of();
        private Optional<Login> login = Optional.empty();
        private Optional<KeyStore> tls = Optional.empty();
        private List<String> forbidden = List.of();
        private Duration startLimit = Duration.ofSeconds(120);
        private Optional<Path> training = Optional.empty();
        private Consumer<String> progress = sentence -> {};

        private Change() {}

        private Change(BrokerOptions from) {
            port = from.port;
            address = from.address;
            directory = from.directory;
            keep = from.keep;
            persistent = from.persistent;
            journal = from.journal;
            heap = from.heap;
            topology = from.topology;
            properties = from.properties;
            login = from.login;
            tls = from.tls;
            forbidden = from.forbidden;
            startLimit = from.startLimit;
            training = from.training;
            progress = from.progress;
        }

        private BrokerOptions made(Consumer<Change> set) {
            set.accept(this);
            return new BrokerOptions(port, address, directory, keep, persistent, journal, heap, topology, properties, login, tls,
                forbidden, startLimit, training, progress);
        }
    }
}
