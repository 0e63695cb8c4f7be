package io.brokermeter.brokers.kind;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.process.NativeCommand;
import io.brokermeter.brokers.process.Probe;

/**
 * The broker kind NATS, a server of this machine, with JetStream. The properties are lines of its configuration. The client that creates a
 * stream decides whether it is stored in a file or in memory.
 */
public final class NatsKind extends NativeKind {

    public NatsKind() {
        super("nats", "NATS", "nats-server", "--version", "v?(\\d+\\.\\d+\\S*)", "NATS");
        features(Feature.LOGIN, Feature.ADDRESS);
    }

    @Override
    public void check(BrokerOptions options) {
        super.check(options);
        require(options.persistent(), "always a store, which each stream uses or not: give the parameter storage=memory, or"
            + " mode=core, to a broker that is persistent");
    }

    @Override
    public Probe prepare(NativeCommand command, BrokerName name, int port, Map<String, String> urls) {
        BrokerOptions options = command.options();
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put("host", quoted(options.host()));
        lines.put("port", Integer.toString(port));
        lines.put("max_payload", "16MB");
        lines.put("jetstream", "{store_dir: " + quoted(command.directory().resolve("data").toString()) + ", max_memory_store: "
            + options.heap().toUpperCase(Locale.ROOT).replaceFirst("^(\\d+)([KMG])$", "$1$2B") + "}");
        options.login().ifPresent(login -> lines.put("authorization",
            "{user: " + quoted(login.user()) + ", password: " + quoted(login.password().reveal())
            // by default the server closes a connection that does not log in within 2 s, which a busy client may exceed
                + ", timeout: 60}"));
        command.with("-c", command.withLines("nats.conf", ": ", lines)).withCause("(?:nats-server: |\\[FTL] )(.*)");
        urls.put("NATS", "nats" + options.at(port));
        return Probe.answers(options.host(), port, "", "INFO {");
    }
}
