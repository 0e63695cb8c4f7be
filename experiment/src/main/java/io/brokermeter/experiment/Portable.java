package io.brokermeter.experiment;

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
 * them. Who writes such a text refuses what it cannot say, and who gets one refuses what it must not say, both here.
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

    private static final Pattern PLACE = Pattern.compile("(?i)(/|\\\\|\\./|\\.\\./|~|[a-z]:\\\\|file:|classpath:|jar:).*");

    private static final Pattern PARAMETER = Pattern.compile("[?&;,(]([^=&?;,()]+)=([^&;,)]*)");

    private Portable() {}

    /**
     * The text of a scenario for other machines.
     *
     * @param name of the experiment
     * @throws UsageException with one sentence, when it names something that is on this machine alone
     */
    public static String text(Workload workload, String name) {
        Tree.Fields kept = (Tree.Fields) without(workload.alone().file().named(name, null).whole());
        require(kept);
        return TreeWriter.write(kept);
    }

    /**
     * Refuses the text of a scenario that names something of the machine that it is read on.
     *
     * @throws UsageException with one sentence
     */
    public static void require(String yaml) {
        require(TreeReader.text(yaml, "scenario"));
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
            require(parameters.group(1), parameters.group(2));
        }
        properties.forEach(Portable::require);
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

    private static void require(Tree tree) {
        String wrong = wrong(tree);
        if (wrong != null) {
            throw new UsageException(wrong);
        }
    }

    private static @Nullable String wrong(Tree tree) {
        return switch (tree) {
            case Tree.Items list -> list.items().stream().map(Portable::wrong).filter(one -> one != null).findFirst().orElse(null);
            case Tree.Leaf leaf -> FILES.stream().filter(form -> leaf.text().strip().toLowerCase(Locale.ROOT).startsWith(form)).findFirst()
                .map(form -> "'" + leaf.text().strip() + "' is a file of this machine, which agents do not have.").orElse(null);
            case Tree.Fields section -> {
                for (var field : section.fields().entrySet()) {
                    if (OF_ONE_PLACE.contains(field.getKey())) {
                        yield "A scenario for agents has no key '" + field.getKey() + "'.";
                    }
                    String wrong = OWN_TEXTS.contains(field.getKey()) ? null : wrong(field.getValue().value());
                    if (wrong != null) {
                        yield wrong;
                    }
                }
                yield null;
            }
        };
    }
}
