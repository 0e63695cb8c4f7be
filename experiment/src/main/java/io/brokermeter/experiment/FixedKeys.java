package io.brokermeter.experiment;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.table.KeyPath;
import io.brokermeter.experiment.tree.SourceLocation;
import io.brokermeter.experiment.tree.Tree;
import org.jspecify.annotations.Nullable;

/** Takes the keys that overrides set out of the sweep of a file, whose values would otherwise replace those of the overrides. */
final class FixedKeys {

    private static final String SWEEP = "sweep";
    private static final String MODE = "mode";
    private static final String PUBLISHED = "published";

    private final String path;
    private final List<String> parts;
    private final SourceLocation location;
    private Tree.Fields file;

    private FixedKeys(Tree.Fields file, String path, SourceLocation location) {
        this.file = file;
        this.path = path;
        this.parts = KeyPath.plain(file, path, location);
        this.location = location;
    }

    /**
     * Returns a file without the variation of the keys that an override set. Published rows of other values are left out.
     *
     * @param file file that has the value of the override
     * @param path path that the override set
     * @param location location where the override was written
     * @throws UsageException with one sentence, when the path lies below a key that varies as a whole
     */
    static Tree.Fields fixed(Tree.Fields file, String path, SourceLocation location) {
        Tree sweep = file.get(SWEEP);
        if (sweep == null || path.equals(SWEEP) || path.startsWith(SWEEP + ".")) {
            return file;
        }
        FixedKeys keys = new FixedKeys(file, path, location);
        Tree rest = keys.rest(sweep);
        return rest == null ? keys.file.without(SWEEP) : keys.file.with(SWEEP, rest, sweep.location());
    }

    /** Returns whether the sweep of a file varies a key, or a section that has the key. */
    static boolean varies(Tree.Fields file, String path, SourceLocation location) {
        try {
            return !fixed(file, path, location).equals(file);
        } catch (UsageException e) {
            // A section that has the key varies as a whole.
            return true;
        }
    }

    /** Returns a sweep or one of its blocks without the keys that are fixed; null when nothing is left to vary. */
    private @Nullable Tree rest(Tree sweep) {
        return switch (sweep) {
            case Tree.Leaf leaf -> leaf;
            case Tree.Items list -> {
                List<Tree> blocks = new ArrayList<>();
                for (Tree block : list.items()) {
                    Tree rest = rest(block);
                    if (rest != null) {
                        blocks.add(rest);
                    }
                }
                yield blocks.isEmpty() && !list.items().isEmpty() ? null : new Tree.Items(blocks, list.location());
            }
            case Tree.Fields block -> {
                Tree.Fields rest = block;
                for (String axis : block.fields().keySet()) {
                    if (!axis.equals(MODE) && isFixed(axis)) {
                        rest = rest.without(axis);
                        publish(axis);
                    }
                }
                yield rest.equals(block) || !rest.without(MODE).fields().isEmpty() ? rest : null;
            }
        };
    }

    private boolean isFixed(String axis) {
        List<String> varied;
        Tree value;
        try {
            varied = KeyPath.plain(file, axis, location);
            value = KeyPath.get(file, axis, location);
        } catch (UsageException e) {
            // The sweep is refused later, with the place of this key.
            return false;
        }
        if (parts.equals(varied)) {
            return true;
        }
        if (isBelow(parts, varied)) {
            throw new UsageException("'" + axis + "' varies as a whole in the sweep; set '" + axis + "', or take the sweep out with "
                + "--set sweep=null.");
        }
        // A whole section that is set need not have a value for a key below it that varies.
        return isBelow(varied, parts) && !Tree.isNothing(value);
    }

    private static boolean isBelow(List<String> path, List<String> above) {
        return path.size() > above.size() && path.subList(0, above.size()).equals(above);
    }

    /** Leaves out the published rows of other values of a key that no longer varies. */
    private void publish(String axis) {
        Tree published = file.get(PUBLISHED);
        if (published == null || Tree.isNothing(published)) {
            return;
        }
        String value = KeyPath.get(file, axis, location).flow();
        List<Tree> rows = new ArrayList<>();
        for (Tree row : Tree.items(published)) {
            Tree of = row instanceof Tree.Fields figures ? figures.get(axis) : null;
            if (of == null) {
                rows.add(row);
            } else if (of.flow().equals(value) && row instanceof Tree.Fields figures) {
                rows.add(figures.without(axis));
            }
        }
        file = file.with(PUBLISHED, new Tree.Items(rows, published.location()), published.location());
    }
}
