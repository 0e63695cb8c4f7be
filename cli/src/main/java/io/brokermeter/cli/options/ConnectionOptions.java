package io.brokermeter.cli.options;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where the broker is, and as whom to connect. */
public final class ConnectionOptions {

    @Option(names = "--url", order = 1, paramLabel = "URL",
            description = {
                "Broker URL. Several brokers, failover, TLS and the client's own parameters go into it as the client "
                    + "understands them.",
                "Default: tcp://localhost:61616 when something listens there, else a broker started for this run."})
    public @Nullable String url;

    @Option(names = "--broker", order = 2, paramLabel = "NAME[:VERSION]",
            description = "Start this broker for the run, and end it afterwards, whatever listens on localhost; "
                + "'brokermeter broker --help' lists them. Default: none.")
    public @Nullable String broker;

    @Option(names = "--protocol", order = 3, paramLabel = "NAME",
            description = "Protocol; 'brokermeter drivers' lists them. Default: by the scheme of the URL, else the "
                + "broker's first.")
    public @Nullable String protocol;

    @Option(names = "--user", order = 4, paramLabel = "NAME", description = "User name. Default: none.")
    public @Nullable String user;

    @Option(names = "--password", order = 5, paramLabel = "TEXT",
            description = "Password; an empty one asks for it on the terminal. Everyone on this machine can read a command "
                + "line: better BROKERMETER_PASSWORD or --password-file. Default: none.")
    public @Nullable String password;

    @Option(names = "--password-file", order = 6, paramLabel = "FILE",
            description = "File whose first line is the password. Default: none.")
    public @Nullable Path passwordFile;

    @Option(names = {"--clientID", "--client-id"}, order = 7, paramLabel = "TEXT",
            description = "Prefix of the client ids of the consumers' connections; durable subscriptions need it. "
                + "Default: none.")
    public @Nullable String clientId;

    @Option(names = "--property", order = 8, paramLabel = "NAME=VALUE",
            description = "A parameter of the protocol's driver or client, as in the URL; may be given more than once. "
                + "'brokermeter drivers NAME' lists them. Default: none.")
    public List<String> properties = new ArrayList<>();

    @Option(names = "--client-jars", order = 9, paramLabel = "PATH[,PATH]",
            description = "Jars, or directories of jars, of the provider that --protocol JMS uses. Default: none.")
    public @Nullable String clientJars;

    @Option(names = "--connect-timeout", order = 10, paramLabel = "TIME", defaultValue = "10s",
            converter = Converters.Seconds.class,
            description = "The longest that one connection may take, in seconds or with a unit. Default: "
                + "${DEFAULT-VALUE}.")
    public Duration connectTimeout = Duration.ZERO;

    @Option(names = "--acceptor", order = 11, paramLabel = "NAME",
            description = "Accepted for command lines of Artemis, with a warning: there is no broker.xml here whose acceptor it could "
                + "name, so it has no effect. Default: none.")
    public @Nullable String acceptor;
}
