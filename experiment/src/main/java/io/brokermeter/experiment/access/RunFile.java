package io.brokermeter.experiment.access;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.message.Content;
import io.brokermeter.experiment.table.KeyPath;
import io.brokermeter.experiment.table.ValueSyntax;
import io.brokermeter.experiment.tree.SourceLocation;
import io.brokermeter.experiment.tree.Tree;
import io.brokermeter.experiment.tree.TreeWriter;
import io.brokermeter.spi.parameter.UrlLogin;
import org.jspecify.annotations.Nullable;

/** The scenario file of one run, from which the run can be repeated. Immutable. */
public final class RunFile {

    static final SourceLocation NOWHERE = new SourceLocation("", 0, 0);
    /** The keys that apply to an experiment as a whole, not to a single run. */
    private static final List<String> OF_ALL =
        List.of("sweep", "repeat", "order", "published", "columns", "freshDestinations", "title", "description", "source");

    /** The prefixes of values that name a file. */
    private static final List<String> FILES = List.of("file:", "lines:", "template:", "trace:");

    private static final Set<String> PLACES = Set.of("", "producers", "consumers");

    private final Tree.Fields fields;
    private final Path base;

    private RunFile(Tree.Fields fields, Path base) {
        this.fields = fields;
        this.base = base;
    }

    public static RunFile of(Tree.Fields file, Path base, long seed) {
        Tree.Fields own = file;
        for (String key : OF_ALL) {
            own = own.without(key);
        }
        return new RunFile(put(put(own, "seed", Long.toString(seed)), "directory", base.toAbsolutePath().normalize().toString()), base);
    }

    public RunFile named(String name, @Nullable BrokerChoice broker) {
        Tree.Fields own = put(fields, "name", name);
        return new RunFile(broker == null ? own : own.with("broker", BrokerReader.written(broker), NOWHERE), base);
    }

    /** Returns this file for a single process: without agents, and without the placement of groups on agents. */
    public RunFile alone() {
        Tree.Fields own = fields.without("agents");
        for (String side : List.of("producers", "consumers")) {
            Tree groups = own.get(side);
            own = switch (groups) {
                case Tree.Fields one -> own.with(side, one.without("on"), one.location());
                case Tree.Items list -> own.with(side, new Tree.Items(list.items().stream()
                    .map(item -> item instanceof Tree.Fields one ? one.without("on") : item).toList(), list.location()), list.location());
                case null, default -> own;
            };
        }
        return new RunFile(own, base);
    }

    /** Returns this file with the protocol and URL of a group's access to the broker, where more is known than the file has. */
    public RunFile reached(String group, EndpointChoice said, EndpointChoice known) {
        if (known.equals(said)) {
            return this;
        }
        Tree.Fields own = KeyPath.set(fields, group + ".protocol", leaf(String.valueOf(known.protocol())), NOWHERE);
        return new RunFile(KeyPath.set(own, group + ".url", leaf(String.valueOf(known.url())), NOWHERE), base);
    }

    public Path base() {
        return base;
    }

    /** Returns the labels of the run, by name. */
    public Map<String, String> labels() {
        Map<String, String> labels = new LinkedHashMap<>();
        if (fields.get("labels") instanceof Tree.Fields all) {
            all.fields().forEach((name, field) -> {
                if (field.value() instanceof Tree.Leaf value && !value.isNothing()) {
                    labels.put(name, value.text());
                }
            });
        }
        return labels;
    }

    /** Returns the whole file, with logins beside their URLs, and templates with their texts. */
    public Tree.Fields whole() {
        return (Tree.Fields) kept("", fields);
    }

    public String text() {
        Tree.Fields kept = whole();
        // An absolute directory from which no path starts would only tie the file to this machine.
        return TreeWriter.write(Redaction.of(hasPath("", kept.without("directory")) ? kept : kept.without("directory")));
    }

    /** Returns whether any value is the path of a file. */
    private static boolean hasPath(String name, Tree tree) {
        return switch (tree) {
            case Tree.Fields section ->
                section.fields().entrySet().stream().anyMatch(field -> hasPath(field.getKey(), field.getValue().value()));
            case Tree.Items list -> list.items().stream().anyMatch(item -> hasPath(name, item));
            case Tree.Leaf leaf -> List.of("passwordFile", "keyFile", "run").contains(name)
                || List.of("faults", "fault").contains(name) && leaf.text().strip().startsWith(Fault.Action.RUN.word() + " ")
                || FILES.stream().anyMatch(form -> leaf.text().strip().toLowerCase(Locale.ROOT).startsWith(form));
        };
    }

    /** Returns a tree with copies in place of files that its values name; {@code copies} has them by the absolute paths of the files. */
    public static Tree redirected(Tree tree, Path base, Map<Path, Path> copies) {
        return switch (tree) {
            case Tree.Items list ->
                new Tree.Items(list.items().stream().map(item -> redirected(item, base, copies)).toList(), list.location());
            case Tree.Leaf leaf -> redirected(leaf, base, copies);
            case Tree.Fields section -> {
                Tree.Fields all = Tree.Fields.none(section.location());
                for (var field : section.fields().entrySet()) {
                    all = all.with(field.getKey(), redirected(field.getValue().value(), base, copies), field.getValue().location());
                }
                yield all;
            }
        };
    }

    private static Tree.Leaf redirected(Tree.Leaf leaf, Path base, Map<Path, Path> copies) {
        String text = leaf.text().strip();
        for (String form : FILES) {
            if (text.toLowerCase(Locale.ROOT).startsWith(form)) {
                Path copy = copies.get(ValueSyntax.path(text.substring(form.length()), base).toAbsolutePath().normalize());
                return copy == null ? leaf : new Tree.Leaf(form + copy, leaf.quoted(), leaf.location());
            }
        }
        return leaf;
    }

    /** Returns a tree with logins moved out of their URLs, and templates replaced by their texts, which may change in their files. */
    private Tree kept(String name, Tree tree) {
        return switch (tree) {
            case Tree.Items list -> new Tree.Items(list.items().stream().map(item -> kept(name, item)).toList(), list.location());
            case Tree.Leaf leaf -> leaf;
            case Tree.Fields section -> {
                Tree.Fields all = Tree.Fields.none(section.location());
                for (var field : section.fields().entrySet()) {
                    all = all.with(field.getKey(), kept(field.getKey(), field.getValue().value()), field.getValue().location());
                }
                if (name.equals("message") && all.get("body") instanceof Tree.Leaf body && !body.isNothing()
                    && Content.parse(body.text(), base) instanceof Content.Template template) {
                    all = put(all, "body", "text:" + template.text());
                }
                UrlLogin login = PLACES.contains(name) && all.get("url") instanceof Tree.Leaf url ? UrlLogin.of(url.text()) : null;
                if (login != null) {
                    all = put(all, "url", login.url());
                    all = login.user() == null ? all : put(all, "user", Objects.requireNonNull(login.user()));
                    all = login.password() == null ? all : put(all, "passwordEnv", EndpointChoice.PASSWORD_VARIABLE);
                }
                yield all;
            }
        };
    }

    /** Returns a section with a value that nobody wrote. */
    static Tree.Fields put(Tree.Fields fields, String name, String text) {
        return fields.with(name, leaf(text), NOWHERE);
    }

    /** Returns the leaf of a text; it is quoted only where the plain text would mean no value. */
    public static Tree.Leaf leaf(String text) {
        return new Tree.Leaf(text, new Tree.Leaf(text, false, NOWHERE).isNothing(), NOWHERE);
    }
}
