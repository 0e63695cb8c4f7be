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
import org.jspecify.annotations.Nullable;

/**
 * A key in which the scenario files of two runs differ. What is written in another way and means the same is no difference.
 *
 * @param key its path, without the number of a group that is the only one: {@code producers.message.size}
 * @param first the value in the first file, as it was written; {@code default} when nothing was
 * @param second the value in the second file
 */
public record ScenarioDifference(String key, String first, String second) {

    /** What says nothing about the load: names and labels, the seed, what is asked of the result, and what concerns a whole experiment. */
    private static final Set<String> IGNORED =
        Set.of("name", "title", "description", "source", "seed", "directory", "sweep", "repeat", "order", "published", "columns",
            "freshDestinations", "interval", "labels", "thresholds");

    /**
     * Compares two files of runs, which vary nothing.
     *
     * @return in the order of the first file, then of the second
     * @throws UsageException when one of them cannot be read
     */
    public static List<ScenarioDifference> between(Path first, Path second) {
        Tree.Fields one = TreeReader.file(first);
        Tree.Fields other = TreeReader.file(second);
        Map<String, Tree> leaves = leaves(one);
        Map<String, Tree> others = leaves(other);
        Set<String> keys = new LinkedHashSet<>(leaves.keySet());
        keys.addAll(others.keySet());
        List<ScenarioDifference> all = new ArrayList<>();
        Path base = second.toAbsolutePath().getParent();
        Meaning meaning = Meaning.of(other, base == null ? Path.of("") : base);
        for (String key : keys) {
            Tree left = leaves.get(key);
            Tree right = others.get(key);
            boolean same = left != null && right != null && left.flow().equals(right.flow());
            if (!same && (meaning == null || !meaning.equals(meaning.with(key, left)))) {
                all.add(new ScenarioDifference(plain(key, one, other), text(left), text(right)));
            }
        }
        return all;
    }

    /** What a file comes to. */
    private record Meaning(Tree.Fields file, Path base, Workload workload, @Nullable BrokerChoice broker) {

        static @Nullable Meaning of(Tree.Fields file, Path base) {
            Complaints complaints = new Complaints();
            try {
                Binder binder = new Binder(file, base, 1, complaints);
                BrokerChoice broker = binder.broker();
                Workload workload = binder.workload();
                return workload == null || !complaints.isEmpty() ? null : new Meaning(file, base, workload, broker);
            } catch (UsageException e) {
                return null;
            }
        }

        /** That of the same file with another value of one key. */
        @Nullable Meaning with(String key, @Nullable Tree value) {
            try {
                return of(KeyPath.set(file, key, value == null ? new Tree.Leaf("", false, file.place()) : value, file.place()), base);
            } catch (UsageException e) {
                return null;
            }
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Meaning that && workload.scenario().equals(that.workload.scenario())
                && workload.producers().equals(that.workload.producers()) && workload.consumers().equals(that.workload.consumers())
                && Objects.equals(broker, that.broker);
        }

        @Override
        public int hashCode() {
            return workload.scenario().hashCode();
        }
    }

    private static String text(@Nullable Tree tree) {
        return tree == null || tree instanceof Tree.Leaf leaf && leaf.isNothing() ? "default" : tree.flow();
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

    private static String plain(String key, Tree.Fields... files) {
        String plain = key;
        for (String group : List.of("producers", "consumers")) {
            boolean one = true;
            for (Tree.Fields file : files) {
                one &= !(file.get(group) instanceof Tree.Items list) || list.items().size() < 2;
            }
            plain = one && plain.startsWith(group + ".0.") ? group + plain.substring(group.length() + 2) : plain;
        }
        return plain;
    }
}
