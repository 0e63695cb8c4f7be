package io.brokermeter.hosts;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The arguments of a child process. Passwords are not among them, nor are the broker's own properties, which may be passwords, since
 * every user of a machine may read a process list: they come as lines of standard input, one for each {@code --secret}, which names it.
 *
 * @param port       the broker's main port; 0 means any free one
 * @param data       the broker's directory; when it does not exist the broker creates it, and deletes it at its end
 *                   unless {@code keep} is set
 * @param group      the directory of all processes of a topology, which is deleted when the parent is gone; empty for a broker of
 *                   one process, and for one whose directory is kept
 * @param persistent whether the broker stores messages
 * @param keep       whether a directory that the broker created stays at its end
 * @param adopt      whether an existing directory counts as created by the broker: the earlier process that used it was ended
 * @param secrets    names of the secrets on standard input, in their order; {@value #PROPERTY} stands for one of the broker's properties
 * @param settings   the host's own settings, as {@code --set name=value}; one name may come more than once
 * @param properties the broker's own properties, as the user gave them
 */
public record HostArguments(int port, Path data, Optional<Path> group, boolean persistent, boolean keep, boolean adopt,
        List<String> secrets, Map<String, List<String>> settings, Map<String, String> properties) {

    /** The name of a secret that carries a property of the broker: {@code name=value}, encoded by {@link #line}. */
    public static final String PROPERTY = "property";

    public HostArguments {
        secrets = List.copyOf(secrets);
        settings = Map.copyOf(settings);
        properties = Map.copyOf(properties);
    }

    /** @throws IllegalArgumentException with one sentence that names the wrong argument */
    public static HostArguments parse(String... arguments) {
        int port = 0;
        Path data = null;
        Optional<Path> group = Optional.empty();
        boolean persistent = true;
        boolean keep = false;
        boolean adopt = false;
        List<String> secrets = new ArrayList<>();
        Map<String, List<String>> settings = new LinkedHashMap<>();
        for (int i = 0; i < arguments.length; i += 2) {
            String name = arguments[i];
            if (i + 1 == arguments.length) {
                throw new IllegalArgumentException("Argument " + name + " needs a value.");
            }
            String value = arguments[i + 1];
            switch (name) {
                case "--port" -> port = Integer.parseInt(value);
                case "--data" -> data = Path.of(value).toAbsolutePath().normalize();
                case "--group" -> group = Optional.of(Path.of(value).toAbsolutePath().normalize());
                case "--persistent" -> persistent = Boolean.parseBoolean(value);
                case "--keep" -> keep = Boolean.parseBoolean(value);
                case "--adopt" -> adopt = Boolean.parseBoolean(value);
                case "--secret" -> secrets.add(value);
                case "--set" -> settings.computeIfAbsent(key(name, value), k -> new ArrayList<>())
                    .add(value.substring(value.indexOf('=') + 1));
                default -> throw new IllegalArgumentException("Argument " + name + " is unknown.");
            }
        }
        if (data == null) {
            throw new IllegalArgumentException("Argument --data is missing.");
        }
        return new HostArguments(port, data, group, persistent, keep, adopt, secrets, settings, Map.of());
    }

    /** Returns these arguments with the broker's own properties. */
    public HostArguments withProperties(Map<String, String> others) {
        return new HostArguments(port, data, group, persistent, keep, adopt, secrets, settings, others);
    }

    /** Returns the line of standard input that carries a property. The value may have several lines. */
    public static String line(String name, String value) {
        return Base64.getEncoder().encodeToString((name + "=" + value).getBytes(StandardCharsets.UTF_8));
    }

    /** Decodes the property that a line of standard input carries. */
    static Map.Entry<String, String> property(String line) {
        String pair = new String(Base64.getDecoder().decode(line), StandardCharsets.UTF_8);
        return Map.entry(key(PROPERTY, pair), pair.substring(pair.indexOf('=') + 1));
    }

    /** Returns all values of one of the host's own settings, in their order. */
    public List<String> all(String setting) {
        return settings.getOrDefault(setting, List.of());
    }

    /** Returns the first value of one of the host's own settings. */
    public Optional<String> setting(String setting) {
        return all(setting).stream().findFirst();
    }

    /** Returns the additional port of that name that an earlier process used; 0 for any free one. */
    public int port(String name) {
        return setting("port." + name).map(Integer::parseInt).orElse(0);
    }

    private static String key(String argument, String value) {
        int equals = value.indexOf('=');
        if (equals < 1) {
            throw new IllegalArgumentException("Argument " + argument + " needs name=value, not " + value + ".");
        }
        return value.substring(0, equals);
    }
}
