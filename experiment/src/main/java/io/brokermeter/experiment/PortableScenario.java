package io.brokermeter.experiment;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.StoreParameter;
import org.jspecify.annotations.Nullable;

/**
 * Scenarios that are run on other machines: their texts name no file, no environment variable, no command and no way to a broker, which travels beside
 * them. Who writes such a text refuses what it cannot say, and who gets one refuses what it must not say, both here. Files with bodies and recorded
 * timings travel with it, and those with certificates and keys, under names that say nothing of their places.
 */
public final class PortableScenario {

    /** What a text has not: what the coordinator alone does, what is sent beside it, and what stands on one machine. */
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

    private static final Pattern PLACE = Pattern.compile("(?is)\\s*(/.|\\\\|\\./|\\.\\./|~|[a-z]:\\\\|file:|classpath:|jar:).*");

    private static final Pattern PARAMETER = Pattern.compile("[?&;,(]([^=&?;,()#]+)=([^&?;,)#]*)");

    private PortableScenario() {}

    /** What all files together may have that travel with a text. */
    public static final int MOST_BYTES = 16 << 20;

    /**
     * A scenario for other machines.
     *
     * @param name of the experiment
     * @throws UsageException with one sentence, when it names something that is on this machine alone
     */
    public static PortableFiles parcel(Workload workload, String name) {
        PortableFiles portable = new PortableFiles();
        Tree.Fields kept =
            (Tree.Fields) enclosed(without(workload.alone().file().named(name, null).whole()), workload.directory(), portable);
        require(kept, portable.files().keySet());
        portable.write(TreeWriter.write(kept));
        return portable;
    }

    /** With relative paths in place of the files that it names, each of which gets one. */
    private static Tree enclosed(Tree tree, Path base, PortableFiles portable) {
        return switch (tree) {
            case Tree.Items list ->
                new Tree.Items(list.items().stream().map(item -> enclosed(item, base, portable)).toList(), list.place());
            case Tree.Leaf leaf -> {
                String text = leaf.text().strip();
                String form = form(text);
                yield form == null ? leaf : new Tree.Leaf(form + portable.enclose(ValueSyntax.path(text.substring(form.length()), base)),
                    leaf.quoted(), leaf.place());
            }
            case Tree.Fields section -> {
                Tree.Fields all = Tree.Fields.none(section.place());
                for (var field : section.fields().entrySet()) {
                    Tree value = field.getValue().value();
                    all = all.with(field.getKey(), OWN_TEXTS.contains(field.getKey()) ? value : enclosed(value, base, portable),
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
        if (!files.stream().allMatch(PortableFiles::isEnclosed)) {
            throw new UsageException("A file that came with the scenario has a name that none has.");
        }
        require(TreeReader.text(yaml, "scenario"), files);
    }

    /**
     * Refuses a way to a broker that names something of the machine that it is used on.
     *
     * @param properties parameters of driver and client
     * @param stores those that may name files: ones that came with the way, and no others
     * @param files relative paths of those that came
     * @throws UsageException with one sentence, which has no value
     */
    public static void require(String url, Map<String, String> properties, Collection<StoreParameter> stores, Set<String> files) {
        BinaryOperator<String> come = (name, value) -> {
            if (!value.isEmpty() && !files.contains(value)) {
                throw new UsageException("Parameter " + name + " names a file that did not come with the run.");
            }
            return "";
        };
        Matcher parameters = PARAMETER.matcher(StoreFiles.url(url, stores, come));
        while (parameters.find()) {
            require(StoreFiles.decoded(parameters.group(1)), StoreFiles.decoded(parameters.group(2)), stores);
        }
        StoreFiles.properties(properties, stores, come).forEach((name, value) -> require(name, value, stores));
    }

    private static void require(String parameter, String value, Collection<StoreParameter> stores) {
        if (stores.stream().anyMatch(store -> store.beside().contains(parameter) || store.name().equals(parameter) && value.isEmpty())) {
            return;
        }
        Stream<String> words =
            Stream.of(parameter.replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT).split("[^a-z0-9]+"));
        if (words.anyMatch(FOREIGN::contains) || PLACE.matcher(value).matches()) {
            throw new UsageException(
                "Parameter " + parameter + " names a file or a class, and an agent opens no file and loads no class that "
                    + "somebody else names" + (stores.isEmpty() ? "." : "; files go to it that these parameters name: "
                        + stores.stream().map(StoreParameter::name).collect(Collectors.joining(", ")) + "."));
        }
    }

    private static Tree without(Tree tree) {
        return switch (tree) {
            case Tree.Leaf leaf -> leaf;
            case Tree.Items list -> new Tree.Items(list.items().stream().map(PortableScenario::without).toList(), list.place());
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
