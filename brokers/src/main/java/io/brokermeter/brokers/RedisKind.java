package io.brokermeter.brokers;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The Redis server of this machine. Persistent, it keeps an append-only file, and the type of its journal is when that
 * reaches the disk: {@code always}, {@code everysec} or {@code no}. Its properties are lines of its configuration.
 */
final class RedisKind implements BrokerKind {

    private static final Set<String> JOURNALS = Set.of("always", "everysec", "no");

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public Set<String> protocols() {
        return Set.of("REDIS");
    }

    @Override
    public void check(BrokerOptions options) {
        BrokerKind.super.check(options);
        Refusal.of(this, options).tls().forbidden().training();
        options.journal().ifPresent(journal -> {
            if (!JOURNALS.contains(journal) || !options.persistent()) {
                throw new IllegalArgumentException("Broker redis has no journal type '" + journal + "'"
                    + (options.persistent() ? "; it has always, everysec and no." : " when it is not persistent."));
            }
        });
        find();
    }

    private static NativeProgram find() {
        return NativeProgram.find("redis", "redis-server", "redis-server");
    }

    @Override
    public void requireVersion(BrokerName name) throws BrokerException {
        find().version(name, Pattern.compile("v=(\\S+)"), "--version");
    }

    @Override
    public Broker start(BrokerName asked, BrokerOptions options) throws BrokerException {
        NativeProgram program = find();
        BrokerName name = program.version(asked, Pattern.compile("v=(\\S+)"), "--version");
        int port = FreePort.orAsked(options.port());
        Path directory = options.place();
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put("bind", "127.0.0.1");
        lines.put("port", Integer.toString(port));
        lines.put("dir", quote(directory.toString()));
        lines.put("save", "\"\"");
        lines.put("appendonly", options.persistent() ? "yes" : "no");
        lines.put("appendfsync", options.journal().orElse("everysec"));
        lines.put("maxmemory", options.heap().replaceFirst("(?i)^(\\d+)([kmg])$", "$1$2b"));
        lines.put("maxmemory-policy", "noeviction");
        options.login().ifPresent(login -> {
            lines.put("user default", "off");
            lines.put("user " + quote(login.user()), quote(">" + login.password().reveal()) + " on ~* &* +@all");
        });
        lines.putAll(options.properties());
        NativeProcess process = new NativeCommand(program.path(), directory, options)
            .with(directory.resolve("redis.conf").toString())
            .withFile("redis.conf", lines.entrySet().stream().map(line -> line.getKey() + " " + line.getValue() + "\n")
                .collect(Collectors.joining()))
            .unprivileged()
            .withCause(Pattern.compile("(Bad directive.*|Can't .*|.*[Ff]atal.*)"))
            .start(name, "broker", port,
                WireProbe.answers(port, "PING\r\n", options.login().isPresent() ? "-NOAUTH" : "+PONG"));
        return new RunningBroker(name, "Redis", Map.of("REDIS", "redis://127.0.0.1:" + port), List.of(process),
            process::close);
    }

    private static String quote(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }
}
