package io.brokermeter.cli.options;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where the receiving half connects when that is not where the sending half does. */
public final class ConsumerConnectionOptions {

    @Option(names = "--consumer-url", order = 1, paramLabel = "URL",
            description = "Broker URL of the consumers. Default: as --url.")
    public @Nullable String url;

    @Option(names = "--consumer-protocol", order = 2, paramLabel = "NAME",
            description = "Protocol of the consumers. Default: by the scheme of --consumer-url, else as the producers'.")
    public @Nullable String protocol;

    @Option(names = "--consumer-user", order = 3, paramLabel = "NAME",
            description = "User name of the consumers. Default: as --user.")
    public @Nullable String user;

    @Option(names = "--consumer-password", order = 4, paramLabel = "TEXT",
            description = "Password of the consumers, as --password. Default: as --password.")
    public @Nullable String password;

    @Option(names = "--consumer-password-file", order = 5, paramLabel = "FILE",
            description = "File whose first line is the password of the consumers. Default: none.")
    public @Nullable Path passwordFile;

    @Option(names = "--consumer-property", order = 6, paramLabel = "NAME=VALUE",
            description = "A parameter of the consumers' driver or client, beside those of --property, which count here, too, "
                + "when the consumers' protocol is the same; may be given more than once. Default: none.")
    public List<String> properties = new ArrayList<>();
}
