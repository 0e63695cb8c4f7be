package io.brokermeter.brokers;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The NATS server of this machine, with JetStream. Its properties are lines of its configuration; whether a stream is kept
 * in a file or in memory is for those to say who create it.
 */
final class NatsKind implements BrokerKind {

    @Override
    public String name() {
        return "nats";
    }

    @Override
    public Set<String> protocols() {
        return Set.of("NATS");
    }

    @Override
    public void check(BrokerOptions options) {
        BrokerKind.super.check(options);
        Refusal.of(this, options).journal().tls().forbidden().training();
        if (!options.persistent()) {
            throw new IllegalArgumentException("Broker nats always has a store, which each stream uses or not: give the"
                + " parameter storage=memory, or mode=core, to a broker that is persistent.");
        }
        find();
    }

    private static NativeProgram find() {
        return NativeProgram.find("nats", "nats-server", "nats-server");
    }

    @Override
    public void requireVersion(BrokerName name) throws BrokerException {
        find().version(name, Pattern.compile("v?(\\d+\\.\\d+\\S*)"), "--version");
    }

    @Override
    public Broker start(BrokerName asked, BrokerOptions options) throws BrokerException {
        NativeProgram program = find();
        BrokerName name = program.version(asked, Pattern.compile("v?(\\d+\\.\\d+\\S*)"), "--version");
        int port = FreePort.orAsked(options.port());
        Path directory = options.place();
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put("host", "127.0.0.1");
        lines.put("port", Integer.toString(port));
        lines.put("max_payload", "16MB");
        lines.put("jetstream", "{store_dir: " + quote(directory.resolve("data").toString()) + ", max_memory_store: "
            + options.heap().toUpperCase(Locale.ROOT).replaceFirst("^(\\d+)([KMG])$", "$1$2B") + "}");
        options.login().ifPresent(login -> lines.put("authorization",
            "{user: " + quote(login.user()) + ", password: " + quote(login.password().reveal()) + "}"));
        lines.putAll(options.properties());
        NativeProcess process = new NativeCommand(program.path(), directory, options)
            .with("-c", directory.resolve("nats.conf").toString())
            .withFile("nats.conf", lines.entrySet().stream().map(line -> line.getKey() + ": " + line.getValue() + "\n")
                .collect(Collectors.joining()))
            .unprivileged()
            .withCause(Pattern.compile("(?:nats-server: |\\[FTL] )(.*)"))
            .start(name, "broker", port, WireProbe.answers(port, "", "INFO {"));
        return new RunningBroker(name, "NATS", Map.of("NATS", "nats://127.0.0.1:" + port), List.of(process), process::close);
    }

    private static String quote(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }
}
