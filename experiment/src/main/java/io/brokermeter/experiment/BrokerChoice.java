package io.brokermeter.experiment;

import java.net.InetAddress;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.spi.ConnectionSettings;
import org.jspecify.annotations.Nullable;

/**
 * The broker that is started for a trial. Trials with equal choices may share a broker where {@link #fresh} permits it. Immutable.
 *
 * @param name name and version of the broker
 * @param topology arrangement of its processes
 * @param heap greatest heap of each of its JVMs
 * @param journal type of its journal, or null for the broker's default
 * @param persistence whether it stores messages
 * @param properties the broker's own settings
 * @param address address of this machine on which it listens, or null for loopback
 * @param fresh how long it lives
 */
public record BrokerChoice(
        BrokerName name, String topology, String heap, @Nullable String journal, boolean persistence,
        Map<String, String> properties, @Nullable InetAddress address, Fresh fresh) {

    /** The lifetime of a broker. */
    public enum Fresh {
        /** Each trial has a broker of its own. */
        TRIAL,
        /** A broker is kept as long as the next trial has an equal choice. */
        SWEEP
    }

    public BrokerChoice {
        properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
    }

    /** The components of a choice except the name, as mutable fields. Each has the value of some options until it is set. */
    public static final class Values {

        public String topology;
        public String heap;
        public @Nullable String journal;
        public boolean persistence;
        public Map<String, String> properties;
        public @Nullable InetAddress address;
        public Fresh fresh = Fresh.TRIAL;

        private Values(BrokerOptions options) {
            topology = options.topology();
            heap = options.heap();
            journal = options.journal().orElse(null);
            persistence = options.persistent();
            properties = options.properties();
            address = options.address().orElse(null);
        }
    }

    /** Creates the choice of a broker with its defaults, a new one for each trial. */
    public static BrokerChoice of(BrokerName name) {
        return of(name, _ -> {});
    }

    /** Creates a choice with the values that {@code change} sets, and the defaults for all others. */
    public static BrokerChoice of(BrokerName name, Consumer<Values> change) {
        Values its = new Values(BrokerOptions.defaults());
        change.accept(its);
        return made(name, its);
    }

    /** Creates the choice of a broker with these options, a new one for each trial. */
    public static BrokerChoice of(BrokerName name, BrokerOptions options) {
        return made(name, new Values(options));
    }

    private static BrokerChoice made(BrokerName name, Values its) {
        return new BrokerChoice(name, its.topology, its.heap, its.journal, its.persistence, its.properties, its.address, its.fresh);
    }

    /** Returns the options with which the broker is started, without a directory. */
    public BrokerOptions options() {
        BrokerOptions options = BrokerOptions.defaults().withTopology(topology).withHeap(heap).withPersistent(persistence);
        if (journal != null) {
            options = options.withJournal(journal);
        }
        if (address != null) {
            options = options.withAddress(address);
        }
        for (Map.Entry<String, String> property : properties.entrySet()) {
            options = options.withProperty(property.getKey(), property.getValue());
        }
        return options;
    }

    /** Returns the names of the broker's own settings whose values the files of a run do not keep. */
    public List<String> hidden() {
        return properties.entrySet().stream().filter(property -> Redaction.isMask(property.getValue())).map(Map.Entry::getKey).toList();
    }

    /** Returns the choice in a few words, without passwords: {@code rocketmq:5.5.0, heap 2g}. */
    @Override
    public String toString() {
        BrokerChoice plain = of(name);
        StringBuilder text = new StringBuilder(name.toString());
        if (!topology.equals(plain.topology)) {
            text.append(", ").append(topology);
        }
        if (!heap.equals(plain.heap)) {
            text.append(", heap ").append(heap);
        }
        if (journal != null) {
            text.append(", journal ").append(journal);
        }
        if (!persistence) {
            text.append(", without persistence");
        }
        if (address != null) {
            text.append(", at ").append(address.getHostAddress());
        }
        properties.forEach((key, value) -> text.append(", ").append(key).append('=')
            .append(ConnectionSettings.isSecret(key) ? Redaction.MASK : value));
        return text.toString();
    }
}
