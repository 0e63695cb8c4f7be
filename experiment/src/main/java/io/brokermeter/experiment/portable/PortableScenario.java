package io.brokermeter.experiment.portable;

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
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.table.ValueSyntax;
import io.brokermeter.experiment.tree.Tree;
import io.brokermeter.experiment.tree.TreeReader;
import io.brokermeter.experiment.tree.TreeWriter;
import io.brokermeter.spi.parameter.StoreParameter;
import org.jspecify.annotations.Nullable;

/**
 * Scenarios for other machines. Their texts name no file of a machine, no environment variable and no command, and they have no access to a
 * broker, which is sent separately. This class writes such texts, and refuses scenarios that need more; it also checks received texts.
 * Files with bodies, recorded timings, certificates and keys are sent with a scenario, under names that do not reveal their paths.
 */
public final class PortableScenario {

    /** The keys that a text does not have: those for the coordinator alone, those sent separately, and those about a single machine. */
    private static final Set<String> OF_ONE_PLACE =
        Set.of("directory", "broker", "thresholds", "faults", "passwordFile", "passwordEnv", "url",
            "properties", "network", "agents", "on");

    /** The keys below which names and values are texts of the user. */
    private static final Set<String> OWN_TEXTS = Set.of("headers", "labels");

    /** The key below which names may be those of groups, whatever they are; its values may name files. */
    private static final String LOAD = "load";

    private static final List<String> FILES = List.of("file:", "lines:", "template:", "trace:");

    /** The words in names of parameters whose values are files, or classes that a client loads. */
    private static final Set<String> FOREIGN =
        Set.of("file", "files", "path", "paths", "location", "store", "truststore", "keystore", "jar",
            "jars", "dir", "directory", "class", "classes", "factory", "plugin", "interceptor", "interceptors", "jaas", "jndi", "ldap",
            "module",
            "handler", "callback", "script", "command", "exec", "providers", "reporters");

    private static final Pattern PLACE = Pattern.compile("(?is)\\s*(/.|\\\\|\\./|\\.\\./|~|[a-z]:\\\\|file:|classpath:|jar:).*");

    private static final Pattern PARAMETER = Pattern.compile("[?&;,(]([^=&?;,()#]+)=([^&?;,)#]*)");

    private PortableScenario() {}

    /** The greatest size of all files together that are sent with a scenario, in bytes. */
    public static final int MOST_BYTES = 16 << 20;

    /**
     * Returns a scenario for other machines, with its files.
     *
     * @param name name of the experiment
     * @throws UsageException with one sentence, when the scenario names something that exists on this machine alone
     */
    public static PortableFiles parcel(Workload workload, String name) {
        PortableFiles portable = new PortableFiles();
        Tree.Fields kept =
            (Tree.Fields) enclosed(without(workload.alone().file().named(name, null).whole()), workload.directory(), portable, false);
        require(kept, portable.files().keySet());
        portable.write(TreeWriter.write(kept));
        return portable;
    }

    /**
     * Returns a tree with relative paths in place of the files that it names, and adds these files to {@code portable}.
     *
     * @param ofGroups whether its names may be those of groups
     */
    private static Tree enclosed(Tree tree, Path base, PortableFiles portable, boolean ofGroups) {
        return switch (tree) {
            case Tree.Items list ->
                new Tree.Items(list.items().stream().map(item -> enclosed(item, base, portable, false)).toList(), list.location());
            case Tree.Leaf leaf -> {
                String text = leaf.text().strip();
                String form = form(text);
                yield form == null ? leaf : new Tree.Leaf(form + portable.enclose(ValueSyntax.path(text.substring(form.length()), base)),
                    leaf.quoted(), leaf.location());
            }
            case Tree.Fields section -> {
                Tree.Fields all = Tree.Fields.none(section.location());
                for (var field : section.fields().entrySet()) {
                    Tree value = field.getValue().value();
                    all = all.with(field.getKey(), !ofGroups && OWN_TEXTS.contains(field.getKey()) ? value
                        : enclosed(value, base, portable, field.getKey().equals(LOAD)), field.getValue().location());
                }
                yield all;
            }
        };
    }

    private static @Nullable String form(String text) {
        return FILES.stream().filter(form -> text.toLowerCase(Locale.ROOT).startsWith(form)).findFirst().orElse(null);
    }

    /**
     * Refuses the text of a scenario that names a file or another resource of the machine on which it is read.
     *
     * @param files relative paths of the files that came with the text
     * @throws UsageException with one sentence
     */
    public static void require(String yaml, Set<String> files) {
        if (!files.stream().allMatch(PortableFiles::isEnclosed)) {
            throw new UsageException("A file that came with the scenario has a name that none has.");
        }
        require(TreeReader.text(yaml, "scenario"), files);
    }

    /**
     * Refuses an access to a broker that names a file or a class of the machine on which it is used.
     *
     * @param properties parameters of driver and client
     * @param stores parameters that may name files, which must be among {@code files}
     * @param files relative paths of the files that came with the access
     * @throws UsageException with one sentence, which does not contain the value of a parameter
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
            case Tree.Items list -> new Tree.Items(list.items().stream().map(PortableScenario::without).toList(), list.location());
            case Tree.Fields section -> {
                Tree.Fields all = Tree.Fields.none(section.location());
                for (var field : section.fields().entrySet()) {
                    if (!OF_ONE_PLACE.contains(field.getKey())) {
                        Tree value = field.getValue().value();
                        all =
                            all.with(field.getKey(),
                                OWN_TEXTS.contains(field.getKey()) || field.getKey().equals(LOAD) ? value : without(value),
                                field.getValue().location());
                    }
                }
                yield all;
            }
        };
    }

    private static void require(Tree tree, Set<String> files) {
        String wrong = wrong(tree, files, false);
        if (wrong != null) {
            throw new UsageException(wrong);
        }
    }

    private static @Nullable String wrong(Tree tree, Set<String> files, boolean ofGroups) {
        return switch (tree) {
            case Tree.Items list ->
                list.items().stream().map(item -> wrong(item, files, false)).filter(one -> one != null).findFirst().orElse(null);
            case Tree.Leaf leaf -> {
                String text = leaf.text().strip();
                String form = form(text);
                yield form == null || files.contains(text.substring(form.length())) ? null
                    : "'" + text + "' is a file that did not come with the scenario.";
            }
            case Tree.Fields section -> {
                for (var field : section.fields().entrySet()) {
                    if (!ofGroups && OF_ONE_PLACE.contains(field.getKey())) {
                        yield "A scenario for agents has no key '" + field.getKey() + "'.";
                    }
                    String wrong = !ofGroups && OWN_TEXTS.contains(field.getKey()) ? null
                        : wrong(field.getValue().value(), files, field.getKey().equals(LOAD));
                    if (wrong != null) {
                        yield wrong;
                    }
                }
                yield null;
            }
        };
    }
}
