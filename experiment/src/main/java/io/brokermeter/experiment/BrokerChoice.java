package io.brokermeter.experiment;

import java.net.InetAddress;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
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

    /** With everything as the broker has it by default, a new one for each trial. */
    public static BrokerChoice of(BrokerName name) {
        return of(name, BrokerOptions.defaults(), Fresh.TRIAL);
    }

    /** Started with these options. */
    public static BrokerChoice of(BrokerName name, BrokerOptions options, Fresh fresh) {
        return new BrokerChoice(name, options.topology(), options.heap(), options.journal().orElse(null), options.persistent(),
            options.properties(), options.address().orElse(null), fresh);
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

    /** In a few words: {@code rocketmq:5.5.0, heap 2g}. */
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
        properties.forEach((key, value) -> text.append(", ").append(key).append('=').append(value));
        return text.toString();
    }
}
