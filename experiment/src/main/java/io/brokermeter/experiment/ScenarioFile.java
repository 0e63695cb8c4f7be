package io.brokermeter.experiment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.access.AgentReader;
import io.brokermeter.experiment.access.Redaction;
import io.brokermeter.experiment.access.RunFile;
import io.brokermeter.experiment.table.KeyPath;
import io.brokermeter.experiment.table.ValueSyntax;
import io.brokermeter.experiment.tree.SourceLocation;
import io.brokermeter.experiment.tree.Tree;
import io.brokermeter.experiment.tree.TreeReader;
import io.brokermeter.spi.ConnectionSettings;

/** Reads scenario files. */
public final class ScenarioFile {

    private static final String THRESHOLDS = "thresholds";

    private ScenarioFile() {}

    /**
     * Reads a file and creates its trials.
     *
     * @throws UsageException with one sentence for each mistake, a line each, {@code FILE:LINE: key 'path': ...}
     */
    public static Experiment read(Path file, Changes changes) {
        Tree.Fields tree = TreeReader.file(file);
        Path parent = file.getParent();
        return experiment(tree, file.toString(), plainName(file), parent == null ? Path.of("") : parent, changes, List.of());
    }

    /**
     * Reads a file as two variants of one experiment, whose trials are interleaved: each round has both, in a random order.
     *
     * @param first overrides of the first variant, each {@code path=value}
     * @param second overrides of the second variant; a key that only one variant overrides has the file's own value in the other
     * @param rounds how often each variant is measured
     * @throws UsageException as {@link #read(Path, Changes)} does, and when the file has a sweep of its own
     */
    public static Experiment variants(Path file, Changes changes, List<String> first, List<String> second, int rounds) {
        Tree.Fields changed = changed(TreeReader.file(file), changes);
        if (!Tree.isNothing(changed.get("sweep"))) {
            throw new UsageException(file + " has a sweep of its own, and two variants of one point are compared; take it out with "
                + "--set sweep=null, and choose the point with --set KEY=VALUE.");
        }
        SourceLocation location = new SourceLocation("--a and --b", 0, 0);
        Map<String, Tree> one = values("--a", first);
        Map<String, Tree> other = values("--b", second);
        Set<String> keys = new LinkedHashSet<>(one.keySet());
        keys.addAll(other.keySet());
        Tree.Fields axes = Tree.Fields.none(location).with("mode", new Tree.Leaf("zip", false, location), location);
        for (String key : keys) {
            Tree own = KeyPath.get(changed, key, location);
            axes = axes.with(key, new Tree.Items(List.of(one.getOrDefault(key, own), other.getOrDefault(key, own)), location), location);
        }
        Tree.Fields whole = changed.with("sweep", axes, location)
            .with("repeat", new Tree.Leaf(Integer.toString(rounds), false, location), location)
            .with("order", new Tree.Leaf("interleaved", false, location), location).without("published");
        Path parent = file.getParent();
        return new Assembly(whole, file.toString(), plainName(file), parent == null ? Path.of("") : parent, true, overridden(changes),
            List.of()).experiment();
    }

    private static Map<String, Tree> values(String option, List<String> sets) {
        Map<String, Tree> values = new LinkedHashMap<>();
        for (String set : sets) {
            Assignment one = Assignment.of(option, set, "broker.version=2.44.0");
            values.put(one.path(), one.value());
        }
        return values;
    }

    /**
     * Reads the text of a scenario file.
     *
     * @param origin name of the text in sentences about its mistakes
     * @param directory directory from which relative paths start, unless the text sets another one
     */
    public static Experiment read(String text, String origin, Path directory, Changes changes) {
        return experiment(TreeReader.text(text, origin), origin, "scenario", directory, changes, List.of());
    }

    /**
     * Returns the scenario files that an argument names: the file itself, or those of a directory and of the directories in it, in
     * the order of their names.
     *
     * @throws UsageException when there is none
     */
    public static List<Path> list(Path fileOrDirectory) {
        if (!Files.exists(fileOrDirectory)) {
            throw new UsageException("Scenario file " + fileOrDirectory + " does not exist.");
        }
        if (!Files.isDirectory(fileOrDirectory)) {
            return List.of(fileOrDirectory);
        }
        List<Path> files;
        try (Stream<Path> found = Files.walk(fileOrDirectory)) {
            files = found.filter(Files::isRegularFile).filter(ScenarioFile::isYaml).sorted().toList();
        } catch (IOException e) {
            throw new UsageException("Directory " + fileOrDirectory + " cannot be read: " + e.getMessage() + ".");
        }
        if (files.isEmpty()) {
            throw new UsageException("Directory " + fileOrDirectory + " has no scenario file in it, whose name ends in .yaml.");
        }
        return files;
    }

    public static Experiment experiment(
            Tree.Fields tree, String origin, String name, Path directory, Changes changes, List<String> warnings) {
        Tree.Fields changed = changed(tree, changes);
        if (!changes.copies().isEmpty()) {
            Path base =
                changed.get("directory") instanceof Tree.Leaf leaf && !leaf.isNothing() ? ValueSyntax.path(leaf.text(), directory)
                    : directory;
            changed = (Tree.Fields) RunFile.redirected(changed, base, changes.copies());
        }
        return new Assembly(changed, origin, name, directory, changes.many(), overridden(changes), warnings).experiment();
    }

    private static Map<String, SourceLocation> overridden(Changes changes) {
        Map<String, SourceLocation> paths = new LinkedHashMap<>();
        for (String set : changes.sets()) {
            Assignment one = Assignment.of(set);
            paths.put(one.path(), one.location());
        }
        return paths;
    }

    /**
     * An override, {@code path=value}.
     *
     * @param location location where it was written: the option with it
     */
    private record Assignment(String path, Tree value, SourceLocation location) {

        static Assignment of(String set) {
            return of("--set", set, "load.rate=10k/s");
        }

        /** @throws UsageException for one without a path, with an example, and for a value that cannot be read */
        static Assignment of(String option, String set, String example) {
            int equals = set.indexOf('=');
            if (equals < 1) {
                throw new UsageException(option + " '" + set + "' needs a key and a value, like " + example + ".");
            }
            SourceLocation location = new SourceLocation(option + " " + redacted(set), 0, 0);
            return new Assignment(set.substring(0, equals).strip(), ScenarioFile.value(set.substring(equals + 1).strip(), location),
                location);
        }
    }

    private static Tree.Fields changed(Tree.Fields tree, Changes changes) {
        Tree.Fields changed = tree;
        for (String set : changes.sets()) {
            Assignment one = Assignment.of(set);
            changed = set(changed, one.path(), one.value(), one.location());
        }
        for (Changes.Set set : changes.options()) {
            SourceLocation location = new SourceLocation(set.option() + " " + set.text(), 0, 0);
            if (set.variable() && FixedKeys.varies(changed, set.path(), location)) {
                continue;
            }
            Tree.Fields with = set(changed, set.path(), new Tree.Leaf(set.text(), true, location), location);
            if (!set.variable() || AgentReader.areNamed(with)) {
                changed = with;
            }
        }
        if (!changes.thresholds().isEmpty()) {
            List<Tree> all = new ArrayList<>(Tree.items(changed.get(THRESHOLDS)));
            changes.thresholds()
                .forEach(limit -> all.add(new Tree.Leaf(limit, true, new SourceLocation("--threshold '" + limit + "'", 0, 0))));
            SourceLocation location = new SourceLocation("--threshold", 0, 0);
            changed = changed.with(THRESHOLDS, new Tree.Items(all, location), location);
        }
        Double scale = changes.scale();
        if (scale != null) {
            if (!ValueSyntax.isFactor(scale)) {
                throw new UsageException("--scale must be " + ValueSyntax.FACTOR.description() + ".");
            }
            SourceLocation location = new SourceLocation("--scale", 0, 0);
            changed = changed.with("scale", new Tree.Leaf(ScenarioTexts.number(scale), false, location), location);
        }
        return changed;
    }

    private static Tree.Fields set(Tree.Fields file, String path, Tree value, SourceLocation location) {
        try {
            return FixedKeys.fixed(KeyPath.set(file, path, value, location), path, location);
        } catch (UsageException e) {
            throw new UsageException(location + ": key '" + path + "': " + e.getMessage());
        }
    }

    /** Returns an override, {@code path=value}, for files and sentences: with {@code ***} in place of passwords. */
    public static String redacted(String set) {
        int equals = set.indexOf('=');
        if (equals < 1) {
            return set;
        }
        String path = set.substring(0, equals).strip();
        SourceLocation location = new SourceLocation("", 0, 0);
        Tree value;
        try {
            value = value(set.substring(equals + 1).strip(), location);
        } catch (UsageException e) {
            // The override is refused in a sentence that contains this text.
            return ConnectionSettings.isSecret(set) || set.contains("://") ? path : set;
        }
        Tree kept = Redaction.alone(path, value);
        return kept.equals(value) ? set : path + "=" + kept.flow();
    }

    /** Returns a value, which is YAML when it begins with a bracket, a brace or a quote, and else a text, whatever characters it has. */
    private static Tree value(String text, SourceLocation location) {
        if (text.isEmpty() || "[{\"'".indexOf(text.charAt(0)) < 0) {
            return new Tree.Leaf(text, false, location);
        }
        return TreeReader.value(text, location);
    }

    private static boolean isYaml(Path file) {
        String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
        return name.endsWith(".yaml") || name.endsWith(".yml");
    }

    private static String plainName(Path file) {
        String name = file.getFileName().toString();
        int dot = name.lastIndexOf('.');
        return dot > 0 ? name.substring(0, dot) : name;
    }
}
