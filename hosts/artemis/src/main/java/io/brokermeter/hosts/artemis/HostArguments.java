package io.brokermeter.hosts.artemis;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The arguments of the child process. Passwords are not among them, since every user of a machine may read a process
 * list: they come as lines of standard input, the user's first, then the key store's.
 *
 * @param port      the port of all protocols; 0 means any free one
 * @param data      the broker's directory; when it does not exist the broker creates it, and deletes it at its end
 * @param persistent whether the broker keeps a journal
 * @param user      the one user who may connect, or null when everybody may
 * @param keyStore  the key store of a TLS acceptor, or null for plain TCP
 * @param forbidden address prefixes under which nothing is created automatically
 */
record HostArguments(int port, Path data, boolean persistent, @Nullable String user, @Nullable Path keyStore,
                     List<String> forbidden) {

    /** @throws IllegalArgumentException with one sentence that names the wrong argument */
    static HostArguments parse(String... arguments) {
        int port = 0;
        Path data = null;
        boolean persistent = true;
        String user = null;
        Path keyStore = null;
        List<String> forbidden = new ArrayList<>();
        for (int i = 0; i < arguments.length; i += 2) {
            String name = arguments[i];
            if (i + 1 == arguments.length) {
                throw new IllegalArgumentException("Argument " + name + " needs a value.");
            }
            String value = arguments[i + 1];
            switch (name) {
                case "--port" -> port = parsePort(value);
                case "--data" -> data = Path.of(value).toAbsolutePath().normalize();
                case "--persistent" -> persistent = Boolean.parseBoolean(value);
                case "--user" -> user = value;
                case "--key-store" -> keyStore = Path.of(value);
                case "--forbid" -> forbidden.add(value);
                default -> throw new IllegalArgumentException("Argument " + name + " is unknown.");
            }
        }
        if (data == null) {
            throw new IllegalArgumentException("Argument --data is missing.");
        }
        return new HostArguments(port, data, persistent, user, keyStore, List.copyOf(forbidden));
    }

    private static int parsePort(String value) {
        try {
            int port = Integer.parseInt(value);
            if (port >= 0 && port <= 65_535) {
                return port;
            }
        } catch (NumberFormatException e) {
            // the sentence below covers it
        }
        throw new IllegalArgumentException("Argument --port must be a number from 0 to 65535, not " + value + ".");
    }
}
