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
 * The broker that is started for a trial. Equal choices may share a broker where {@link #fresh} lets them.
 *
 * @param name which one, and its version
 * @param topology arrangement of its processes
 * @param heap greatest heap of each of its JVMs
 * @param journal type of its journal, or null for its own default
 * @param persistence whether it stores anything
 * @param properties its own settings
 * @param address of this machine that it listens on, or null for loopback
 * @param fresh how long it lives
 */
public record BrokerChoice(
        BrokerName name, String topology, String heap, @Nullable String journal, boolean persistence,
        Map<String, String> properties, @Nullable InetAddress address, Fresh fresh) {

    /** How long a broker lives. */
    public enum Fresh {
        /** Each trial has a broker of its own. */
        TRIAL,
        /** A broker stays as long as the next trial asks for an equal one. */
        SWEEP
    }

    public BrokerChoice {
        properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
    }

    /** What it is made of by name, all but which one it is: as some options have it, a new one for each trial, as long as it is not set. */
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

    /** With everything as the broker has it by default, a new one for each trial. */
    public static BrokerChoice of(BrokerName name) {
        return of(name, _ -> {});
    }

    /** The defaults but for what {@code change} sets. */
    public static BrokerChoice of(BrokerName name, Consumer<Values> change) {
        Values its = new Values(BrokerOptions.defaults());
        change.accept(its);
        return made(name, its);
    }

    /** Started with these options, a new one for each trial. */
    public static BrokerChoice of(BrokerName name, BrokerOptions options) {
        return made(name, new Values(options));
    }

    private static BrokerChoice made(BrokerName name, Values its) {
        return new BrokerChoice(name, its.topology, its.heap, its.journal, its.persistence, its.properties, its.address, its.fresh);
    }

    /** How to start it, without a directory. */
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

    /** The names of its settings whose values the files of a run do not keep. */
    public List<String> hidden() {
        return properties.entrySet().stream().filter(property -> Redaction.isMask(property.getValue())).map(Map.Entry::getKey).toList();
    }

    /** In a few words, without passwords: {@code rocketmq:5.5.0, heap 2g}. */
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
