package io.brokermeter.experiment;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.access.BrokerChoice;
import io.brokermeter.experiment.table.FileErrors;
import io.brokermeter.experiment.table.Key;
import io.brokermeter.experiment.table.KeyPath;
import io.brokermeter.experiment.table.KeyTable;
import io.brokermeter.experiment.table.Section;
import io.brokermeter.experiment.table.SectionValues;
import io.brokermeter.experiment.table.ValueSyntax;
import io.brokermeter.experiment.tree.Tree;
import io.brokermeter.experiment.tree.TreeReader;
import org.jspecify.annotations.Nullable;

/**
 * A key in which the scenario files of two runs differ. Values that are written differently and have the same meaning are no difference.
 *
 * @param key path of the key, without the number of a group that is the only one: {@code producers.message.size}
 * @param first value in the first file, as it was written; {@code default} when there is none
 * @param second value in the second file, in the same form
 */
public record ScenarioDifference(String key, String first, String second) {

    /** The keys without influence on the load: names, labels, the seed, those of results, and those of an experiment as a whole. */
    private static final Set<String> IGNORED =
        Set.of("name", "title", "description", "source", "seed", "directory", "sweep", "repeat", "order", "published", "columns",
            "freshDestinations", "interval", "labels", "thresholds");

    /** The keys that may be given once for all groups. */
    private static final List<String> SHARED =
        List.of("protocol", "url", "user", "passwordFile", "passwordEnv", "clientId", "connectTimeout",
            "properties", "destinations", "load", "message");

    /**
     * Compares the files of two runs, which have no sweep.
     *
     * @return differences in the order of the first file, then of the second
     * @throws UsageException when one of them cannot be read
     */
    public static List<ScenarioDifference> between(Path first, Path second) {
        Tree.Fields one = writtenOut(TreeReader.file(first));
        Tree.Fields other = writtenOut(TreeReader.file(second));
        Map<String, Tree> leaves = leaves(one);
        Map<String, Tree> others = leaves(other);
        Set<String> keys = new LinkedHashSet<>(leaves.keySet());
        keys.addAll(others.keySet());
        List<ScenarioDifference> all = new ArrayList<>();
        Path base = second.toAbsolutePath().getParent();
        Meaning meaning = Meaning.of(other, base == null ? Path.of("") : base);
        for (String key : keys) {
            if (key.matches("(producers|consumers)\\.[0-9]+\\.name")) {
                continue;
            }
            Tree left = leaves.get(key);
            Tree right = others.get(key);
            boolean same = left != null && right != null && left.flow().equals(right.flow());
            if (!same && (meaning == null || !meaning.equals(meaning.with(key, left)))) {
                all.add(new ScenarioDifference(plain(key, keys), text(left), text(right)));
            }
        }
        return together(all);
    }

    /** Joins equal differences of producers and consumers in a key that may be given once for all groups. */
    private static List<ScenarioDifference> together(List<ScenarioDifference> all) {
        List<ScenarioDifference> joined = new ArrayList<>();
        for (ScenarioDifference one : all) {
            String[] parts = one.key().split("\\.", 2);
            String other = parts[0].equals("producers") ? "consumers" : "producers";
            boolean shared = parts.length == 2 && SHARED.contains(parts[1].split("\\.", 2)[0])
                && all.contains(new ScenarioDifference(other + "." + parts[1], one.first(), one.second()));
            ScenarioDifference whole = shared ? new ScenarioDifference(parts[1], one.first(), one.second()) : one;
            if (!joined.contains(whole)) {
                joined.add(whole);
            }
        }
        return joined;
    }

    /** The meaning of a file: its workload and its broker. */
    private record Meaning(Tree.Fields file, Path base, Workload workload, @Nullable BrokerChoice broker) {

        static @Nullable Meaning of(Tree.Fields file, Path base) {
            FileErrors errors = new FileErrors();
            try {
                Binder binder = new Binder(file, base, 1, errors);
                BrokerChoice broker = binder.broker();
                Workload workload = binder.workload();
                Scale scale = new Scale(new SectionValues(KeyTable.FILE, file, "", base, errors).read("scale", 1.0, ValueSyntax::factor));
                if (workload == null || !errors.isEmpty()) {
                    return null;
                }
                return new Meaning(file, base, workload.with(scale.of(workload.scenario())), broker);
            } catch (UsageException e) {
                return null;
            }
        }

        /** Returns the meaning of the same file with another value of one key; null when that is not valid. */
        @Nullable Meaning with(String key, @Nullable Tree value) {
            try {
                return of(KeyPath.set(file, key, value == null ? new Tree.Leaf("", false, file.location()) : value, file.location()), base);
            } catch (UsageException e) {
                return null;
            }
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Meaning that && workload.scenario().equals(that.workload.scenario())
                && workload.producers().equals(that.workload.producers()) && workload.consumers().equals(that.workload.consumers())
                && workload.agents().who().equals(that.workload.agents().who()) && workload.on().equals(that.workload.on())
                && Objects.equals(broker, that.broker);
        }

        @Override
        public int hashCode() {
            return workload.scenario().hashCode();
        }
    }

    private static String text(@Nullable Tree tree) {
        return tree == null || Tree.isNothing(tree) ? "default" : tree.flow();
    }

    private static Map<String, Tree> leaves(Tree.Fields file) {
        Map<String, Tree> all = new LinkedHashMap<>();
        file.fields().forEach((name, field) -> {
            if (!IGNORED.contains(name)) {
                leaves(name, field.value(), all);
            }
        });
        return all;
    }

    private static void leaves(String path, Tree tree, Map<String, Tree> all) {
        switch (tree) {
            case Tree.Fields fields -> fields.fields().forEach((name, field) -> leaves(path + "." + name, field.value(), all));
            case Tree.Items list when list.items().stream().allMatch(Tree.Fields.class::isInstance) -> {
                for (int i = 0; i < list.items().size(); i++) {
                    leaves(path + "." + i, list.items().get(i), all);
                }
            }
            case Tree.Items list -> all.put(path, list);
            case Tree.Leaf leaf -> all.put(path, leaf);
        }
    }

    /** Returns a path without the numbers of items that are the only ones of their list in both files. */
    private static String plain(String key, Set<String> keys) {
        StringBuilder plain = new StringBuilder();
        StringBuilder whole = new StringBuilder();
        for (String part : key.split("\\.")) {
            String next = whole + ".1";
            boolean only = part.equals("0") && keys.stream().noneMatch(other -> other.startsWith(next + ".") || other.equals(next));
            plain.append(only ? "" : (plain.isEmpty() ? "" : ".") + part);
            whole.append(whole.isEmpty() ? "" : ".").append(part);
        }
        return plain.toString();
    }

    /**
     * Returns a file in its longest form: groups and destinations as lists of keys, and the keys for all groups in each group. So two files
     * with the same meaning have the same keys.
     */
    private static Tree.Fields writtenOut(Tree.Fields file) {
        Tree.Fields all = inFull(KeyTable.FILE, file);
        for (String side : List.of("producers", "consumers")) {
            Key key = KeyTable.FILE.find(side);
            if (key != null && all.get(side) instanceof Tree.Items groups) {
                Tree.Fields whole = all;
                all = all.with(side, new Tree.Items(groups.items().stream()
                    .map(group -> group instanceof Tree.Fields fields ? inherited(fields, whole, key.below()) : group).toList(),
                    groups.location()),
                    groups.location());
            }
        }
        for (String name : SHARED) {
            all = all.without(name);
        }
        return all;
    }

    private static Tree inherited(Tree.Fields group, Tree.Fields file, Section section) {
        Tree.Fields own = group;
        for (String name : SHARED) {
            Tree shared = file.get(name);
            Tree known = own.get(name);
            if (shared == null || section.find(name) == null) {
                continue;
            }
            if (known == null || Tree.isNothing(known)) {
                own = own.with(name, shared, shared.location());
            } else if (name.equals("message") && known instanceof Tree.Fields said && shared instanceof Tree.Fields more) {
                own = own.with(name, GroupMessage.merged(more, said), known.location());
            }
        }
        return own;
    }

    private static Tree.Fields inFull(Section section, Tree.Fields fields) {
        Tree.Fields all = Tree.Fields.none(fields.location());
        for (Map.Entry<String, Tree.Field> field : fields.fields().entrySet()) {
            Tree value = field.getValue().value();
            Key key = section.find(field.getKey());
            if (key != null && key.form() == ValueSyntax.SECTION && !Tree.isNothing(value)) {
                List<Tree> items = value instanceof Tree.Items list && !key.below().isListed() ? list.items() : List.of(value);
                List<Tree> whole = items.stream().map(item -> inFull(key, item)).toList();
                value = key.several() ? new Tree.Items(whole, value.location()) : whole.size() == 1 ? whole.getFirst() : value;
            }
            all = all.with(field.getKey(), value, field.getValue().location());
        }
        return all;
    }

    private static Tree inFull(Key key, Tree item) {
        Tree.Fields fields = switch (item) {
            case Tree.Fields known -> known;
            case Tree.Leaf leaf -> leaf.isNothing() || key.below().switched() ? null : key.below().expand(leaf);
            case Tree.Items list -> key.below().expand(list);
        };
        return fields == null ? item : inFull(key.below(), fields);
    }
}
