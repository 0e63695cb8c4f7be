package io.brokermeter.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.table.KeyPath;
import io.brokermeter.experiment.table.NestedSections;
import io.brokermeter.experiment.table.Section;
import io.brokermeter.experiment.tree.SourceLocation;
import io.brokermeter.experiment.tree.Tree;
import org.jspecify.annotations.Nullable;

/**
 * Keys of a file that groups replace by their own, and loads that phases replace. One that is replaced for every group has no effect, so a trial
 * that is named by its value would make another load than its name says.
 */
final class SharedKeys {

    private static final String LOAD = "load";
    private static final String MESSAGE = "message";
    private static final String PRODUCERS = "producers";
    private static final String PROPERTIES = "properties";

    private final Tree.Fields file;
    private final SourceLocation location;

    private SharedKeys(Tree.Fields file) {
        this.file = file;
        this.location = file.location();
    }

    /**
     * Returns why the value at a path has no effect, as one sentence; null when it has one, or when there is no value.
     *
     * @param file a file without a sweep, whose keys and values were checked
     */
    static @Nullable String withoutEffect(Tree.Fields file, String path) {
        try {
            return new SharedKeys(file).reason(path);
        } catch (UsageException e) {
            // The path is refused elsewhere.
            return null;
        }
    }

    /** Returns whether a file has groups of producers, each of which has a load of its own. */
    static boolean areLoadsReplaced(Tree.Fields file) {
        SharedKeys keys = new SharedKeys(file);
        List<String> groups = keys.groups(PRODUCERS);
        return !groups.isEmpty() && groups.stream().allMatch(group -> keys.has(group + ".load"));
    }

    private @Nullable String reason(String path) {
        Tree value = KeyPath.get(file, path, location);
        List<String> parts = KeyPath.plain(file, path, location);
        if (Tree.isNothing(value)) {
            return null;
        }
        return switch (parts.getFirst()) {
            case "destinations", "url", "network", "user", "clientId", "connectTimeout" ->
                isEverywhere(parts.getFirst()) ? replaced(parts.getFirst(), everyone(), path) : null;
            // A group of another protocol than the file's leaves out the parameters of the file.
            case "protocol" -> isEverywhere("protocol") && !has(PROPERTIES) ? replaced("protocol", everyone(), path) : null;
            case PROPERTIES -> {
                List<String> names = parts.size() > 1 ? List.of(path) : named(value);
                yield !names.isEmpty() && names.stream().allMatch(this::isEverywhere)
                    ? replaced(names.getFirst(), everyone(), names.getFirst())
                    : null;
            }
            case MESSAGE -> message(set(NestedSections.MESSAGE, parts.subList(1, parts.size()), value));
            case LOAD -> {
                List<String> all = groups(PRODUCERS);
                yield all.stream().allMatch(group -> has(group + ".load")) ? replaced(LOAD, all, path)
                    : load(all.stream().filter(group -> !has(group + ".load")).toList(),
                        set(NestedSections.LOAD, parts.subList(1, parts.size()), value));
            }
            case PRODUCERS -> {
                int at = parts.size() > 1 && parts.get(1).matches("[0-9]+") ? 2 : 1;
                yield at >= parts.size() || !parts.get(at).equals(LOAD) ? null : load(List.of(String.join(".", parts.subList(0, at))),
                    set(NestedSections.LOAD, parts.subList(at + 1, parts.size()), value));
            }
            default -> null;
        };
    }

    /** Returns the paths of the parameters that have values in a value of the key for all of them. */
    private static List<String> named(Tree value) {
        return value instanceof Tree.Fields fields ? fields.fields().entrySet().stream()
            .filter(field -> !Tree.isNothing(field.getValue().value())).map(field -> PROPERTIES + "." + field.getKey()).toList()
            : List.of();
    }

    /** Returns whether each group of producers and of consumers has a value of its own at a path below it. */
    private boolean isEverywhere(String path) {
        return everyone().stream().allMatch(group -> has(group + "." + path));
    }

    private List<String> everyone() {
        List<String> all = groups(PRODUCERS);
        all.addAll(groups("consumers"));
        return all;
    }

    /** Returns why keys of the messages of the whole file have no effect. */
    private @Nullable String message(List<String> keys) {
        Tree.Fields shared = fields(NestedSections.MESSAGE, MESSAGE);
        List<String> groups = groups(PRODUCERS);
        boolean own = true;
        for (String group : groups) {
            Tree.Fields said = fields(NestedSections.MESSAGE, group + "." + MESSAGE);
            Tree.Fields merged = GroupMessage.merged(shared, said);
            if (keys.stream().anyMatch(key -> merged.get(key) == shared.get(key))) {
                return null;
            }
            own &= keys.stream().allMatch(key -> has(group + "." + MESSAGE + "." + key));
        }
        if (keys.isEmpty() || groups.isEmpty()) {
            return null;
        }
        String name = keys.size() == 1 ? MESSAGE + "." + keys.getFirst() : MESSAGE;
        return own ? replaced(name, groups, name)
            : "it has no effect, since every group has a size or a body of its own, which takes its place; name '" + groups.getFirst() + "."
                + name + "' in its place.";
    }

    /** Returns why keys of the load of some groups have no effect, where phases have loads in their place. */
    private @Nullable String load(List<String> groups, List<String> keys) {
        boolean replaced = !groups.isEmpty() && !keys.isEmpty() && List.of("rate", "ratePerProducer").containsAll(keys)
            && groups.stream().allMatch(this::phasesReplace);
        return !replaced ? null
            : "it has no effect, since every phase has a load in its place; name 'phases.0.load' in its place.";
    }

    private boolean phasesReplace(String group) {
        List<Tree> phases = Tree.items(KeyPath.get(file, "phases", location));
        String name = has(group + ".name") ? KeyPath.get(file, group + ".name", location).flow() : Binder.defaultName(group);
        return !phases.isEmpty() && phases.stream().allMatch(phase -> {
            Tree load = phase instanceof Tree.Fields fields ? fields.get(LOAD) : null;
            Tree own = load instanceof Tree.Fields loads ? loads.get(name) : load;
            return !Tree.isNothing(own);
        });
    }

    private static @Nullable String replaced(String key, List<String> groups, String path) {
        return groups.isEmpty() ? null : "it has no effect, since every group replaces '" + key + "' by its own; name '" + groups.getFirst()
            + "." + path + "' in its place.";
    }

    /**
     * Returns the keys of a section that a value sets.
     *
     * @param below parts of the value's path below the section; none where the value is that of the section as a whole
     */
    private static List<String> set(Section section, List<String> below, Tree value) {
        if (!below.isEmpty()) {
            return List.of(below.getFirst());
        }
        return fields(section, value).fields().entrySet().stream().filter(field -> !Tree.isNothing(field.getValue().value()))
            .map(Map.Entry::getKey).toList();
    }

    private Tree.Fields fields(Section section, String path) {
        return fields(section, KeyPath.get(file, path, location));
    }

    private static Tree.Fields fields(Section section, Tree value) {
        return switch (value) {
            case Tree.Fields fields -> fields;
            case Tree.Leaf leaf -> Objects.requireNonNullElse(section.expand(leaf), Tree.Fields.none(leaf.location()));
            case Tree.Items list -> Tree.Fields.none(list.location());
        };
    }

    private boolean has(String path) {
        return !Tree.isNothing(KeyPath.get(file, path, location));
    }

    private List<String> groups(String side) {
        Tree written = file.get(side);
        List<String> groups = new ArrayList<>();
        if (written instanceof Tree.Items list) {
            for (int i = 0; i < list.items().size(); i++) {
                groups.add(side + "." + i);
            }
        } else if (!Tree.isNothing(written)) {
            groups.add(side);
        }
        return groups;
    }
}
