package io.brokermeter.experiment.table;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.tree.SourceLocation;
import io.brokermeter.experiment.tree.Tree;
import org.jspecify.annotations.Nullable;

/** Reads or replaces the value at a path such as {@code producers.0.load.rate} in a file. */
public final class KeyPath {

    private final String path;
    private final List<String> parts;
    private final Tree value;
    private final SourceLocation location;
    /** The parts of the path, groups and items of lists by their numbers; {@code 0} is left out where there is no list. */
    private final List<String> plain = new ArrayList<>();
    /** The value that was replaced; null for none. */
    private @Nullable Tree replaced;

    private KeyPath(String path, Tree value, SourceLocation location) {
        this.path = path;
        this.parts = List.of(path.split("\\.", -1));
        this.value = value;
        this.location = location;
    }

    /**
     * Returns a file with another value at a path. Shorthands along the path are expanded, and missing keys are added. No value at a path
     * where there is none changes nothing.
     *
     * @param location location where path and value were written
     * @throws UsageException with one sentence about the path, without the place
     */
    public static Tree.Fields set(Tree.Fields file, String path, Tree value, SourceLocation location) {
        KeyPath key = new KeyPath(path, value, location);
        Tree.Fields changed = key.into(KeyTable.FILE, file, 0);
        return Tree.isNothing(value) && Tree.isNothing(key.replaced) ? file : changed;
    }

    /**
     * Returns the value that a file has at a path; an empty leaf where it has none.
     *
     * @throws UsageException as {@link #set} does
     */
    public static Tree get(Tree.Fields file, String path, SourceLocation location) {
        Tree nothing = new Tree.Leaf("", false, location);
        KeyPath key = new KeyPath(path, nothing, location);
        key.into(KeyTable.FILE, file, 0);
        return key.replaced == null ? nothing : key.replaced;
    }

    /**
     * Returns the parts of a path in the one form that all paths to the same key of a file have.
     *
     * @throws UsageException as {@link #set} does
     */
    public static List<String> plain(Tree.Fields file, String path, SourceLocation location) {
        KeyPath key = new KeyPath(path, new Tree.Leaf("", false, location), location);
        key.into(KeyTable.FILE, file, 0);
        return List.copyOf(key.plain);
    }

    private Tree.Fields into(Section section, @Nullable Tree old, int index) {
        Tree.Fields fields = written(section, old);
        String name = parts.get(index);
        Key key = section.find(name);
        if (key == null) {
            throw new UsageException(name.isEmpty() ? "'" + path + "' is not the path of a key, like load.rate."
                : section.unknown(name));
        }
        plain.add(name);
        Tree current = fields.get(name);
        if (index == parts.size() - 1) {
            replaced = current;
            return fields.with(name, value, location);
        }
        Tree changed = switch (key.form()) {
            case SECTION -> key.several() ? several(key, current, index + 1) : into(key.below(), current, index + 1);
            case TEXTS, HEADERS, SWEEP, LOADS -> {
                Tree.Fields names = names(key, current, index);
                String below = String.join(".", parts.subList(index + 1, parts.size()));
                plain.add(below);
                replaced = names.get(below);
                yield names.with(below, value, location);
            }
            default -> throw new UsageException("'" + String.join(".", parts.subList(0, index + 1)) + "' has no keys below it.");
        };
        return fields.with(name, changed, location);
    }

    /** Returns the names below a key; refuses a value that stands for all of them, which another name would replace. */
    private Tree.Fields names(Key key, @Nullable Tree current, int index) {
        if (current == null || Tree.isNothing(current)) {
            return Tree.Fields.none(location);
        }
        if (current instanceof Tree.Fields known) {
            return known;
        }
        String whole = "'" + String.join(".", parts.subList(0, index + 1)) + "'";
        throw new UsageException(switch (key.form()) {
            case LOADS ->
                whole + " is one load for all groups, " + current.flow() + "; set it as a whole, with the load of each group, like "
                    + "{" + parts.getLast() + ": 1k/s}.";
            case SWEEP -> whole + " is a list of sweeps; set it as a whole.";
            default -> whole + " has no names below it.";
        });
    }

    private Tree several(Key key, @Nullable Tree current, int index) {
        String which = parts.get(index);
        boolean last = index == parts.size() - 1;
        if (!(current instanceof Tree.Items list)) {
            if (which.matches("[1-9][0-9]*")) {
                throw new UsageException("'" + key.name() + "' is not a list, so its only number is 0, not " + which + ".");
            }
            if (!which.equals("0")) {
                return into(key.below(), current, index);
            }
            replaced = current;
            return last ? value : into(key.below(), current, index + 1);
        }
        int at = number(key, list, which);
        plain.add(Integer.toString(at));
        replaced = list.items().get(at);
        return Tree.replaced(list, at, last ? value : into(key.below(), list.items().get(at), index + 1));
    }

    private int number(Key key, Tree.Items list, String which) {
        if (which.matches("[0-9]{1,6}")) {
            int number = Integer.parseInt(which);
            if (number >= list.items().size()) {
                throw new UsageException("'" + key.name() + "' has no number " + which + "; they are numbered from 0 to "
                    + (list.items().size() - 1) + ".");
            }
            return number;
        }
        for (int i = 0; i < list.items().size(); i++) {
            if (list.items().get(i) instanceof Tree.Fields fields && fields.get("name") instanceof Tree.Leaf name
                && name.text().equals(which)) {
                return i;
            }
        }
        if (key.below().find(which) != null && list.items().size() == 1) {
            throw new UsageException("'" + key.name() + "' is a list; write '" + key.name() + ".0." + which + "'.");
        }
        throw new UsageException("'" + key.name() + "' is a list, so its parts are '" + key.name() + ".0' to '" + key.name() + "."
            + (list.items().size() - 1) + "', and '" + which + "' is none of them.");
    }

    private Tree.Fields written(Section section, @Nullable Tree old) {
        Tree.Fields fields = switch (old) {
            case null -> Tree.Fields.none(location);
            case Tree.Fields known -> known;
            case Tree.Leaf leaf -> section.switched() && leaf.text().equals("false") ? Tree.Fields.none(location)
                : section.expand(leaf);
            case Tree.Items list -> section.expand(list);
        };
        if (fields == null) {
            throw new UsageException("'" + path + "' leads into something that has no keys.");
        }
        return fields;
    }
}
