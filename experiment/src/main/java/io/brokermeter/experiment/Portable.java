package io.brokermeter.experiment;

import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.brokermeter.engine.scenario.UsageException;
import org.jspecify.annotations.Nullable;

/**
 * Scenarios that are run on other machines: their texts name no file, no environment variable, no command and no way to a broker, which travels beside
 * them. Who writes such a text refuses what it cannot say, and who gets one refuses what it must not say, both here. Files with bodies and recorded
 * timings travel with it, under names that say nothing of their places.
 */
public final class Portable {

    /** What a text has not: what the coordinator alone does, what is told beside it, and what stands on one machine. */
    private static final Set<String> OF_ONE_PLACE =
        Set.of("directory", "broker", "thresholds", "faults", "passwordFile", "passwordEnv", "url",
            "properties", "network", "agents", "on");

    /** Whose keys and values are the user's own texts. */
    private static final Set<String> OWN_TEXTS = Set.of("headers", "labels");

    private static final List<String> FILES = List.of("file:", "lines:", "template:", "trace:");

    /** Words of which names of parameters consist whose values are files, or classes that a client loads. */
    private static final Set<String> FOREIGN =
        Set.of("file", "files", "path", "paths", "location", "store", "truststore", "keystore", "jar",
            "jars", "dir", "directory", "class", "classes", "factory", "plugin", "interceptor", "interceptors", "jaas", "jndi", "ldap",
            "module",
            "handler", "callback", "script", "command", "exec", "providers", "reporters");

    private static final Pattern PLACE = Pattern.compile("(?i)(/.|\\\\|\\./|\\.\\./|~|[a-z]:\\\\|file:|classpath:|jar:).*");

    private static final Pattern PARAMETER = Pattern.compile("[?&;,(]([^=&?;,()]+)=([^&;,)]*)");

    private Portable() {}

    /** What all files together may have that travel with a text. */
    public static final int MOST_BYTES = 16 << 20;

    private static final String ENCLOSED = "enclosed/";
    private static final Pattern ENCLOSED_NAME = Pattern.compile(ENCLOSED + "[0-9]{1,4}");

    /**
     * A text, and the files that must be beside it where it is read.
     *
     * @param text of the scenario
     * @param files by the relative paths that the text has for them
     */
    public record Parcel(String text, Map<String, Path> files) {

        public Parcel {
            files = Collections.unmodifiableMap(new LinkedHashMap<>(files));
        }

        /**
         * Reads the files. Blocks.
         *
         * @return their contents in base64, by their relative paths
         * @throws UsageException with one sentence when one cannot be read, or when all together have more than {@link #MOST_BYTES}
         */
        public Map<String, String> contents() {
            Map<String, String> all = new LinkedHashMap<>();
            int left = MOST_BYTES;
            for (Map.Entry<String, Path> file : files.entrySet()) {
                try (InputStream in = Files.newInputStream(file.getValue())) {
                    byte[] content = in.readNBytes(left + 1);
                    if (content.length > left) {
                        throw new UsageException(
                            "Agents get files of at most %d MiB together, and with %s it is more; take a smaller part of it.",
                            MOST_BYTES >> 20, file.getValue());
                    }
                    left -= content.length;
                    all.put(file.getKey(), Base64.getEncoder().encodeToString(content));
                } catch (IOException e) {
                    throw new UsageException("The file %s, which agents need, cannot be read: %s.", file.getValue(), e.getMessage());
                }
            }
            return all;
        }
    }

    /** Whether it is the relative path of a file that came with a text: it leads nowhere else. */
    public static boolean isEnclosed(String path) {
        return ENCLOSED_NAME.matcher(path).matches();
    }

    /**
     * A scenario for other machines.
     *
     * @param name of the experiment
     * @throws UsageException with one sentence, when it names something that is on this machine alone
     */
    public static Parcel parcel(Workload workload, String name) {
        Map<Path, String> names = new LinkedHashMap<>();
        Tree.Fields kept = (Tree.Fields) enclosed(without(workload.alone().file().named(name, null).whole()), workload.directory(), names);
        require(kept, Set.copyOf(names.values()));
        Map<String, Path> files = new LinkedHashMap<>();
        names.forEach((file, path) -> files.put(path, file));
        return new Parcel(TreeWriter.write(kept), files);
    }

    /** With relative paths in place of the files that it names, each of which gets one. */
    private static Tree enclosed(Tree tree, Path base, Map<Path, String> names) {
        return switch (tree) {
            case Tree.Items list -> new Tree.Items(list.items().stream().map(item -> enclosed(item, base, names)).toList(), list.place());
            case Tree.Leaf leaf -> {
                String text = leaf.text().strip();
                String form = form(text);
                if (form == null) {
                    yield leaf;
                }
                Path file = Form.path(text.substring(form.length()), base).toAbsolutePath().normalize();
                String path = names.computeIfAbsent(file, _ -> ENCLOSED + (names.size() + 1));
                yield new Tree.Leaf(form + path, leaf.quoted(), leaf.place());
            }
            case Tree.Fields section -> {
                Tree.Fields all = Tree.Fields.none(section.place());
                for (var field : section.fields().entrySet()) {
                    Tree value = field.getValue().value();
                    all = all.with(field.getKey(), OWN_TEXTS.contains(field.getKey()) ? value : enclosed(value, base, names),
                        field.getValue().place());
                }
                yield all;
            }
        };
    }

    private static @Nullable String form(String text) {
        return FILES.stream().filter(form -> text.toLowerCase(Locale.ROOT).startsWith(form)).findFirst().orElse(null);
    }

    /**
     * Refuses the text of a scenario that names something of the machine that it is read on.
     *
     * @param files relative paths of those that came with it
     * @throws UsageException with one sentence
     */
    public static void require(String yaml, Set<String> files) {
        if (!files.stream().allMatch(Portable::isEnclosed)) {
            throw new UsageException("A file that came with the scenario has a name that none has.");
        }
        require(TreeReader.text(yaml, "scenario"), files);
    }

    /**
     * Refuses a way to a broker that names something of the machine that it is used on.
     *
     * @param properties parameters of driver and client
     * @throws UsageException with one sentence, which has no value
     */
    public static void require(String url, Map<String, String> properties) {
        Matcher parameters = PARAMETER.matcher(url);
        while (parameters.find()) {
            require(decoded(parameters.group(1)), decoded(parameters.group(2)));
        }
        properties.forEach(Portable::require);
    }

    /** As clients read it; as it is, where they cannot. */
    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }

    private static void require(String parameter, String value) {
        Stream<String> words =
            Stream.of(parameter.replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT).split("[^a-z0-9]+"));
        if (words.anyMatch(FOREIGN::contains) || PLACE.matcher(value).matches()) {
            throw new UsageException(
                "Parameter " + parameter + " names a file or a class, and an agent opens no file and loads no class that "
                    + "somebody else names.");
        }
    }

    private static Tree without(Tree tree) {
        return switch (tree) {
            case Tree.Leaf leaf -> leaf;
            case Tree.Items list -> new Tree.Items(list.items().stream().map(Portable::without).toList(), list.place());
            case Tree.Fields section -> {
                Tree.Fields all = Tree.Fields.none(section.place());
                for (var field : section.fields().entrySet()) {
                    if (!OF_ONE_PLACE.contains(field.getKey())) {
                        Tree value = field.getValue().value();
                        all =
                            all.with(field.getKey(), OWN_TEXTS.contains(field.getKey()) ? value : without(value), field.getValue().place());
                    }
                }
                yield all;
            }
        };
    }

    private static void require(Tree tree, Set<String> files) {
        String wrong = wrong(tree, files);
        if (wrong != null) {
            throw new UsageException(wrong);
        }
    }

    private static @Nullable String wrong(Tree tree, Set<String> files) {
        return switch (tree) {
            case Tree.Items list ->
                list.items().stream().map(item -> wrong(item, files)).filter(one -> one != null).findFirst().orElse(null);
            case Tree.Leaf leaf -> {
                String text = leaf.text().strip();
                String form = form(text);
                yield form == null || files.contains(text.substring(form.length())) ? null
                    : "'" + text + "' is a file that did not come with the scenario.";
            }
            case Tree.Fields section -> {
                for (var field : section.fields().entrySet()) {
                    if (OF_ONE_PLACE.contains(field.getKey())) {
                        yield "A scenario for agents has no key '" + field.getKey() + "'.";
                    }
                    String wrong = OWN_TEXTS.contains(field.getKey()) ? null : wrong(field.getValue().value(), files);
                    if (wrong != null) {
                        yield wrong;
                    }
                }
                yield null;
            }
        };
    }
}
