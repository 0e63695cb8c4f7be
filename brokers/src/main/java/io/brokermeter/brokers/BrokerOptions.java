package io.brokermeter.brokers;

import java.lang.management.ManagementFactory;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.parameter.Secret;

/**
 * The options of a throwaway broker. Immutable; each {@code with} method returns a changed copy.
 *
 * @param port port to listen on, 0 for any free one
 * @param address address of this machine to listen on; empty for 127.0.0.1
 * @param directory directory of the broker's files; empty for a new one below the system's temporary directory. A directory that did not
 *     exist before is deleted at the end unless {@code keep}; one that existed is kept
 * @param keep whether the directory with data and logs stays at the end
 * @param persistent whether the broker keeps a journal, without which persistent messages and durable subscriptions have no effect
 * @param journal type of the journal in the broker's own terms, such as {@code nio}; empty for the default of the kind
 * @param heap maximum heap of each of the broker's JVMs, in the form of {@code -Xmx}
 * @param topology arrangement of processes, {@link #SINGLE} or another one that the kind has
 * @param properties the broker's own properties by name
 * @param login the only user who may connect; empty when everyone may
 * @param tls key store that makes the port a TLS port; empty for plain TCP
 * @param forbidden address prefixes below which the broker creates no destinations automatically
 * @param startLimit longest wait for the broker to accept connections, not counting the time to fetch it
 * @param training file to which the JVM writes an AOT cache (JEP 514) when the broker is closed, which takes some seconds; empty for a run
 *     that starts from an existing cache, if there is one
 * @param progress receives descriptions of long steps, each one sentence without a full stop; called by any thread
 */
public record BrokerOptions(int port, Optional<InetAddress> address, Optional<Path> directory, boolean keep, boolean persistent,
        Optional<String> journal, String heap, String topology, Map<String, String> properties,
        Optional<Login> login, Optional<KeyStore> tls, List<String> forbidden, Duration startLimit,
        Optional<Path> training, Consumer<String> progress) {

    private static final long LEAST_HEAP = 32L << 20;
    /** One object, so that default options are equal. */
    private static final Consumer<String> SILENT = _ -> {};

    /** The topology of a single broker. */
    public static final String SINGLE = "single";

    /** A user name with its password. */
    public record Login(String user, Secret password) {}

    /** A key store file with its password. */
    public record KeyStore(Path path, Secret password) {}

    public BrokerOptions {
        forbidden = List.copyOf(forbidden);
        properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
        Objects.requireNonNull(heap);
    }

    /** Returns the default options: any free port, a new directory, a journal, a heap of 1 GiB, no login, 120 s to start. */
    public static BrokerOptions defaults() {
        return new Change().made(change -> {});
    }

    /** Returns a path for a directory that does not exist yet. The process of the broker creates the directory and deletes it. */
    public static Path newDirectory() {
        return Path.of(System.getProperty("java.io.tmpdir"), "brokermeter-" + UUID.randomUUID()).toAbsolutePath();
    }

    /** Returns the address to listen on, in numeric form. */
    public String host() {
        return address.map(InetAddress::getHostAddress).orElse("127.0.0.1");
    }

    /** Returns the part of a URL that follows the protocol: {@code ://127.0.0.1:61616}. */
    public String at(int portOfIt) {
        String host = host();
        return "://" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + portOfIt;
    }

    /** Returns the directory of the broker's files: {@link #directory()}, or a new one. */
    public Path place() {
        return directory.map(Path::toAbsolutePath).map(Path::normalize).orElseGet(BrokerOptions::newDirectory);
    }

    /**
     * Checks the maximum heap of a broker's JVM.
     *
     * @param text size in the form of {@code -Xmx}
     * @throws IllegalArgumentException with the end of a sentence, "is less than ...", when the heap is too small for any broker or larger
     *     than the memory of this machine
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

    /** Returns a few words about each option of the broker itself that differs from its default, without passwords, as {@code heap 2g}. */
    public List<String> words() {
        BrokerOptions plain = defaults();
        List<String> words = new ArrayList<>();
        if (!topology.equals(plain.topology)) {
            words.add(topology);
        }
        if (!heap.equals(plain.heap)) {
            words.add("heap " + heap);
        }
        journal.ifPresent(type -> words.add("journal " + type));
        if (!persistent) {
            words.add("without persistence");
        }
        address.ifPresent(own -> words.add("at " + own.getHostAddress()));
        properties.forEach((name, value) -> words.add(name + "=" + (ConnectionSettings.isSecret(name) ? Secret.of(value) : value)));
        return words;
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

    /** The mutable values of the next copy. */
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
        private Consumer<String> progress = SILENT;

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
