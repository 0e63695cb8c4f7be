package io.brokermeter.experiment.tree;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.BoundedText;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** Reads YAML 1.2 into a {@link Tree}. */
public final class TreeReader {

    private static final int MOST_BYTES = 4 << 20;
    private static final int DEEPEST = 20;
    /** The greatest number of keys and values with aliases expanded: nine levels of nine aliases are 400 million values in 300 bytes. */
    private static final int MOST_PARTS = 500_000;

    private final String origin;
    private final @Nullable SourceLocation fixed;
    private long parts;
    private long letters;

    private TreeReader(String origin, @Nullable SourceLocation fixed) {
        this.origin = origin;
        this.fixed = fixed;
    }

    /**
     * Reads a file.
     *
     * @throws UsageException with one sentence that names the file, and the line of a mistake, when it cannot be read or is no YAML
     */
    public static Tree.Fields file(Path file) {
        String text;
        try {
            if (Files.isDirectory(file)) {
                throw new UsageException("Scenario file " + file + " is a directory.");
            }
            if (!Files.exists(file)) {
                throw new UsageException("Scenario file " + file + " does not exist.");
            }
            text = BoundedText.read(file, MOST_BYTES);
        } catch (BoundedText.TooLong e) {
            throw new UsageException("Scenario file " + file + " is larger than 4 MiB, which no scenario is.");
        } catch (CharacterCodingException e) {
            throw new UsageException("Scenario file " + file + " is not a text in UTF-8.");
        } catch (IOException e) {
            throw new UsageException("Scenario file " + file + " cannot be read: " + e.getMessage() + ".");
        }
        return text(text, file.toString());
    }

    /** Reads the text of a whole document. */
    public static Tree.Fields text(String text, String origin) {
        Tree tree = new TreeReader(origin, null).read(text);
        if (tree instanceof Tree.Fields fields) {
            return fields;
        }
        if (Tree.isNothing(tree)) {
            throw new UsageException(origin + ":1: the file is empty; a scenario needs at least producers or consumers.");
        }
        throw new UsageException(tree.location() + ": a scenario consists of keys with values, like 'protocol: CORE'.");
    }

    /** Reads a value in an option; {@code location} is the place of all its parts. */
    public static Tree value(String text, SourceLocation location) {
        return new TreeReader(location.origin(), location).read(text);
    }

    private Tree read(String text) {
        LoadSettings settings = LoadSettings.builder().setLabel(origin).setUseMarks(true).setAllowDuplicateKeys(true)
            .setCodePointLimit(MOST_BYTES).setMaxAliasesForCollections(100).build();
        List<Node> documents = new ArrayList<>();
        try {
            // The composer recurses once for each level; the parser does not recurse.
            refuseDepth(new Parse(settings).parseString(text));
            for (Node node : new Compose(settings).composeAllFromString(text)) {
                documents.add(node);
            }
        } catch (MarkedYamlEngineException e) {
            SourceLocation location = e.getProblemMark().map(this::location).orElse(new SourceLocation(origin, 1, 1));
            if (String.valueOf(e.getProblem()).contains("TAB")) {
                throw new UsageException(location + ": this is not YAML: a tab stands where only blanks may; indent with blanks.");
            }
            String context = e.getContext() == null ? "" : " " + e.getContext();
            throw new UsageException(location + ": this is not YAML" + context + ": " + e.getProblem() + ".");
        } catch (YamlEngineException e) {
            throw new UsageException(origin + ": this is not YAML: " + String.valueOf(e.getMessage()).strip() + ".");
        }
        if (documents.isEmpty()) {
            return new Tree.Leaf("", false, fixed == null ? new SourceLocation(origin, 1, 1) : fixed);
        }
        if (documents.size() > 1) {
            throw new UsageException(documents.get(1).getStartMark().map(this::location).orElse(new SourceLocation(origin, 1, 1))
                + ": a second document begins here; a scenario file has only one.");
        }
        return tree(documents.getFirst(), null, 0);
    }

    private void refuseDepth(Iterable<Event> events) {
        int depth = 0;
        for (Event event : events) {
            switch (event.getEventId()) {
                case MappingStart, SequenceStart -> {
                    if (++depth > DEEPEST + 1) {
                        throw new UsageException(event.getStartMark().map(this::location).orElse(new SourceLocation(origin, 0, 0))
                            + ": this is nested too deeply, in more than " + DEEPEST + " levels.");
                    }
                }
                case MappingEnd, SequenceEnd -> depth--;
                default -> {}
            }
        }
    }

    private void count(Node node, SourceLocation location) {
        parts++;
        letters += node instanceof ScalarNode scalar ? scalar.getValue().length() : 0;
        if (parts > MOST_PARTS || letters > MOST_BYTES) {
            throw new UsageException(location + ": with its aliases written out, this is more than " + (parts > MOST_PARTS
                ? String.format(Locale.ROOT, "%,d keys and values", MOST_PARTS) : "4 MiB") + ", which no scenario is.");
        }
    }

    private Tree tree(Node node, @Nullable SourceLocation key, int depth) {
        SourceLocation own = node.getStartMark().map(this::location).orElse(new SourceLocation(origin, 0, 0));
        SourceLocation location = key == null ? own : key;
        if (depth > DEEPEST || node.isRecursive()) {
            throw new UsageException(own + ": this is nested too deeply, or contains itself.");
        }
        count(node, location);
        return switch (node) {
            case ScalarNode scalar -> new Tree.Leaf(scalar.getValue(), !scalar.isPlain(), location);
            case SequenceNode list -> {
                List<Tree> items = new ArrayList<>();
                for (Node item : list.getValue()) {
                    items.add(tree(item, null, depth + 1));
                }
                yield new Tree.Items(items, location);
            }
            case MappingNode mapping -> {
                Map<String, Tree.Field> fields = new LinkedHashMap<>();
                for (NodeTuple tuple : mapping.getValue()) {
                    SourceLocation at = tuple.getKeyNode().getStartMark().map(this::location).orElse(own);
                    if (!(tuple.getKeyNode() instanceof ScalarNode name)) {
                        throw new UsageException(at + ": a key must be a word.");
                    }
                    Tree value = tree(tuple.getValueNode(), at, depth + 1);
                    Tree.Field old = fields.put(name.getValue(), new Tree.Field(at, value));
                    if (old != null) {
                        throw new UsageException(at + ": key '" + name.getValue() + "': it stands here twice, first in line "
                            + old.location().line() + ".");
                    }
                }
                yield new Tree.Fields(fields, location);
            }
            default -> throw new UsageException(own + ": this kind of YAML has no meaning in a scenario.");
        };
    }

    private SourceLocation location(Mark mark) {
        return fixed == null ? new SourceLocation(origin, mark.getLine() + 1, mark.getColumn() + 1) : fixed;
    }
}
