package io.brokermeter.brokers;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The NATS server of this machine, with JetStream. Its properties are lines of its configuration; whether a stream is kept
 * in a file or in memory is decided by the client that creates it.
 */
final class NatsKind extends NativeKind {

    NatsKind() {
        super("nats", "NATS", "nats-server", "--version", "v?(\\d+\\.\\d+\\S*)", "NATS");
        features(Feature.LOGIN, Feature.ADDRESS);
    }

    @Override
    void check(BrokerOptions options) {
        super.check(options);
        require(options.persistent(), "always a store, which each stream uses or not: give the parameter storage=memory, or"
            + " mode=core, to a broker that is persistent");
    }

    @Override
    Probe prepare(NativeCommand command, BrokerName name, int port, Map<String, String> urls) {
        BrokerOptions options = command.options();
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put("host", quoted(options.host()));
        lines.put("port", Integer.toString(port));
        lines.put("max_payload", "16MB");
        lines.put("jetstream", "{store_dir: " + quoted(command.directory().resolve("data").toString()) + ", max_memory_store: "
            + options.heap().toUpperCase(Locale.ROOT).replaceFirst("^(\\d+)([KMG])$", "$1$2B") + "}");
        options.login().ifPresent(login -> lines.put("authorization",
            "{user: " + quoted(login.user()) + ", password: " + quoted(login.password().reveal())
            // by itself the server ends a connection that has not shown its login within 2 s, which a busy client does not keep
                + ", timeout: 60}"));
        command.with("-c", command.withLines("nats.conf", ": ", lines)).withCause("(?:nats-server: |\\[FTL] )(.*)");
        urls.put("NATS", "nats" + options.at(port));
        return Probe.answers(options.host(), port, "", "INFO {");
    }
}
