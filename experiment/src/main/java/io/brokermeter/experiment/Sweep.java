package io.brokermeter.experiment;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.experiment.access.Redaction;
import io.brokermeter.experiment.table.FileErrors;
import io.brokermeter.experiment.table.KeyPath;
import io.brokermeter.experiment.table.Validator;
import io.brokermeter.experiment.table.ValueSyntax;
import io.brokermeter.experiment.tree.SourceLocation;
import io.brokermeter.experiment.tree.Tree;

/**
 * The variation of keys in an experiment. A sweep consists of blocks: a block is the product of its axes or varies them together,
 * and the sweep is the product of its blocks. The last axis varies fastest.
 */
final class Sweep {

    /** An axis with its values as they were written, and with the labels that are shown for them. */
    private record Varied(String path, SourceLocation location, List<Tree> values, List<String> labels) {}

    private record Block(boolean zip, List<Varied> axes) {

        long points() {
            return zip ? axes.getFirst().values().size()
                : axes.stream().mapToLong(axis -> axis.values().size()).reduce(1, Sweep::times);
        }
    }

    private final List<Block> blocks;

    private Sweep(List<Block> blocks) {
        this.blocks = blocks;
    }

    /**
     * Reads the value of the key {@code sweep}; mistakes are added to {@code errors}, and axes and blocks that cannot be read are left out.
     *
     * @param redaction removes passwords from the labels of points
     */
    static Sweep read(Tree.Fields file, Redaction redaction, FileErrors errors) {
        Tree sweep = file.get("sweep");
        List<Block> blocks = new ArrayList<>();
        if (sweep instanceof Tree.Items list) {
            if (list.items().isEmpty()) {
                errors.about(sweep.location(), "sweep", "the list is empty; leave the key out, or name a key with values.");
            }
            for (int i = 0; i < list.items().size(); i++) {
                block(list.items().get(i), "sweep." + i, redaction, blocks, errors);
            }
        } else if (sweep != null && !Tree.isNothing(sweep)) {
            block(sweep, "sweep", redaction, blocks, errors);
        }
        Tree.Fields plain = file.without("sweep");
        Map<String, List<String>> seen = new LinkedHashMap<>();
        for (Block block : blocks) {
            for (Varied axis : block.axes()) {
                List<String> parts = parts(plain, axis);
                seen.forEach((other, known) -> {
                    int shorter = Math.min(parts.size(), known.size());
                    if (parts.equals(known)) {
                        errors.about(axis.location(), "sweep." + axis.path(), "it varies twice.");
                    } else if (parts.subList(0, shorter).equals(known.subList(0, shorter))) {
                        errors.about(axis.location(), "sweep." + axis.path(), "it overlaps with '" + other
                            + "', which varies too.");
                    }
                });
                seen.put(axis.path(), parts);
            }
        }
        return new Sweep(blocks);
    }

    private static List<String> parts(Tree.Fields file, Varied axis) {
        try {
            return KeyPath.plain(file, axis.path(), axis.location());
        } catch (UsageException e) {
            // The path is refused later, by the check of its values.
            return List.of(axis.path().split("\\.", -1));
        }
    }

    private static void block(Tree tree, String path, Redaction redaction, List<Block> blocks, FileErrors errors) {
        if (!(tree instanceof Tree.Fields fields)) {
            errors.about(tree.location(), path, "it must be " + ValueSyntax.SWEEP.description() + ".");
            return;
        }
        boolean zip = false;
        List<Varied> axes = new ArrayList<>();
        for (Map.Entry<String, Tree.Field> field : fields.fields().entrySet()) {
            Tree value = field.getValue().value();
            SourceLocation location = field.getValue().location();
            String name = field.getKey();
            if (name.equals("mode")) {
                String mode = value.flow();
                if (!mode.equals("zip") && !mode.equals("product")) {
                    errors.about(location, path + ".mode", "'" + mode + "' is none of product, zip.");
                }
                zip = mode.equals("zip");
            } else if (!(value instanceof Tree.Items list)) {
                errors.about(location, path + "." + name, "the values of a sweep are a list, like [4, 8].");
            } else if (list.items().isEmpty()) {
                errors.about(location, path + "." + name, "the list of values is empty; a sweep needs one value at least.");
            } else {
                axes.add(new Varied(name, location, list.items(),
                    list.items().stream().map(one -> label(redaction.at(name, one))).toList()));
            }
        }
        if (axes.isEmpty()) {
            if (errors.isEmpty()) {
                errors.about(tree.location(), path, "it names no key; leave it out, or name a key with values.");
            }
            return;
        }
        if (zip) {
            Varied first = axes.getFirst();
            for (Varied other : axes) {
                if (other.values().size() != first.values().size()) {
                    errors.about(other.location(), path + "." + other.path(),
                        "it has " + Counted.of(other.values().size(), "value") + " and '"
                            + first.path() + "' has " + first.values().size() + "; with mode zip all must have equally many.");
                    return;
                }
            }
        }
        blocks.add(new Block(zip, axes));
    }

    /** Returns the number of points, at most {@link Long#MAX_VALUE}. */
    long points() {
        return blocks.stream().mapToLong(Block::points).reduce(1, Sweep::times);
    }

    private static long times(long a, long b) {
        return a > Long.MAX_VALUE / Math.max(1, b) ? Long.MAX_VALUE : a * b;
    }

    List<Axis> axes() {
        return blocks.stream().flatMap(block -> block.axes().stream())
            .map(axis -> new Axis(axis.path(), axis.labels().stream().distinct().toList())).toList();
    }

    private static String label(Tree value) {
        return Tree.isNothing(value) ? "default" : value.flow();
    }

    /**
     * Checks each value of each axis in the file by itself, so that paths and values are checked without making every
     * combination.
     */
    void check(Tree.Fields file, Validator validator, FileErrors errors) {
        Tree.Fields plain = file.without("sweep");
        for (Block block : blocks) {
            for (Varied axis : block.axes()) {
                for (Tree value : axis.values()) {
                    try {
                        refuse(axis.path());
                        validator.check(KeyPath.set(plain, axis.path(), value, value.location()));
                    } catch (UsageException e) {
                        errors.about(axis.location(), "sweep." + axis.path(), Validator.sentence(e));
                    }
                }
            }
        }
    }

    private static void refuse(String path) {
        String first = path.indexOf('.') < 0 ? path : path.substring(0, path.indexOf('.'));
        switch (first) {
            case "name", "title", "description", "source", "sweep", "repeat", "order", "published", "columns", "directory",
                "freshDestinations", "scale", "seed" -> throw new UsageException("'" + first + "' cannot vary: it belongs to the "
                    + "experiment as a whole.");
            default -> {}
        }
    }

    /** Returns the labels of a point's values, by their paths and without passwords. */
    Point point(long index) {
        Map<String, String> values = new LinkedHashMap<>();
        chosen(index).forEach((axis, at) -> values.put(axis.path(), axis.labels().get(at)));
        return values.isEmpty() ? Point.ONLY : new Point(values);
    }

    /** Returns the file of a point. */
    Tree.Fields file(Tree.Fields file, long index) {
        Tree.Fields result = file.without("sweep");
        for (Map.Entry<Varied, Integer> one : chosen(index).entrySet()) {
            Tree value = one.getKey().values().get(one.getValue());
            result = KeyPath.set(result, one.getKey().path(), value, value.location());
        }
        return result;
    }

    /**
     * Refuses values of a point that have no effect, as the point is named by them.
     *
     * @param file file of the point
     */
    void checkEffect(Tree.Fields file, long index, FileErrors errors) {
        for (Varied axis : chosen(index).keySet()) {
            String useless = SharedKeys.withoutEffect(file, axis.path());
            if (useless != null) {
                errors.about(axis.location(), "sweep." + axis.path(), useless);
            }
        }
    }

    /** Returns the index of each axis's value at a point. */
    private Map<Varied, Integer> chosen(long index) {
        Map<Varied, Integer> values = new LinkedHashMap<>();
        long rest = index;
        long below = points();
        for (Block block : blocks) {
            below /= block.points();
            long at = rest / below;
            rest %= below;
            long inner = block.points();
            for (Varied axis : block.axes()) {
                if (block.zip()) {
                    values.put(axis, (int) at);
                    continue;
                }
                inner /= axis.values().size();
                values.put(axis, (int) (at / inner));
                at %= inner;
            }
        }
        return values;
    }
}
