package io.brokermeter.brokers.kind;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.process.NativeCommand;
import io.brokermeter.brokers.process.Probe;

/**
 * The broker kind Redis, a server of this machine. A persistent broker keeps an append-only file, and the journal type determines when that
 * is forced to the disk: {@code always}, {@code everysec} or {@code no}. The properties are lines of its configuration.
 */
public final class RedisKind extends NativeKind {

    public RedisKind() {
        super("redis", "Redis", "redis-server", "--version", "v=(\\S+)", "REDIS");
        journals("always", "everysec", "no");
        features(Feature.LOGIN, Feature.ADDRESS);
    }

    @Override
    public Probe prepare(NativeCommand command, BrokerName name, int port, Map<String, String> urls) {
        BrokerOptions options = command.options();
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put("bind", options.host());
        lines.put("port", Integer.toString(port));
        lines.put("dir", quoted(command.directory().toString()));
        lines.put("save", "\"\"");
        lines.put("appendonly", options.persistent() ? "yes" : "no");
        lines.put("appendfsync", options.journal().orElse("everysec"));
        lines.put("maxmemory", options.heap().replaceFirst("(?i)^(\\d+)([kmg])$", "$1$2b"));
        lines.put("maxmemory-policy", "noeviction");
        options.login().ifPresent(login -> {
            lines.put("user default", "off");
            // in protected mode the server refuses all remote clients while the default user, who is disabled, has no password
            lines.put("protected-mode", "no");
            lines.put("user " + quoted(login.user()), quoted(">" + login.password().reveal()) + " on ~* &* +@all");
        });
        command.with(command.withLines("redis.conf", " ", lines)).withCause("(Bad directive.*|Can't .*|.*[Ff]atal.*)");
        urls.put("REDIS", "redis" + options.at(port));
        // a server that still loads its file would refuse a stranger as one that has loaded it does
        String login = options.login().map(as -> request("AUTH", as.user(), as.password().reveal())).orElse("");
        return Probe.answers(options.host(), port, (login + request("PING")).getBytes(StandardCharsets.UTF_8),
            (login.isEmpty() ? "+PONG" : "+OK\r\n+PONG").getBytes(StandardCharsets.UTF_8));
    }

    private static String request(String... words) {
        return Stream.of(words).map(word -> "$" + word.getBytes(StandardCharsets.UTF_8).length + "\r\n" + word + "\r\n")
            .collect(Collectors.joining("", "*" + words.length + "\r\n", ""));
    }
}
