package io.brokermeter.cli.options;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The password for scenario files, which never have one in them. */
public final class LoginOptions {

    @Option(names = "--password", order = 1, paramLabel = "TEXT",
            description = "Password for every user name in the files that has none of its own there (passwordFile, passwordEnv); "
                + "an empty one asks for it on the terminal. Everyone on this machine can read a command line: better "
                + "BROKERMETER_PASSWORD or --password-file. Default: none.")
    public @Nullable String password;

    @Option(names = "--password-file", order = 2, paramLabel = "FILE",
            description = "File whose first line is that password. Default: none.")
    public @Nullable Path passwordFile;
}
