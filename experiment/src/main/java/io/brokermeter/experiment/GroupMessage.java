package io.brokermeter.experiment;

import java.util.Map;

import io.brokermeter.engine.scenario.message.Content;
import io.brokermeter.experiment.tree.Tree;
import org.jspecify.annotations.Nullable;

/** The keys of the messages of a group of producers: those of the group, and those of the whole file where the group sets none. */
final class GroupMessage {

    private static final String SIZE = "size";
    private static final String BODY = "body";

    private GroupMessage() {}

    /**
     * Returns the keys of a group's messages.
     *
     * @param shared the keys of the file for all groups
     * @param own the keys of the group
     */
    static Tree.Fields merged(Tree.Fields shared, Tree.Fields own) {
        Tree.Fields merged = shared;
        // A file or a template determines the size itself, so one of a group and a size of the file, or the reverse, exclude each other.
        if (!has(own, SIZE) && isVerbatim(own.get(BODY))) {
            merged = merged.without(SIZE);
        } else if (has(own, SIZE) && !has(own, BODY) && isVerbatim(shared.get(BODY))) {
            merged = merged.without(BODY);
        }
        for (Map.Entry<String, Tree.Field> field : own.fields().entrySet()) {
            if (has(own, field.getKey())) {
                merged = merged.without(field.getKey()).with(field.getKey(), field.getValue().value(), field.getValue().location());
            }
        }
        return merged;
    }

    private static boolean has(Tree.Fields fields, String name) {
        return !Tree.isNothing(fields.get(name));
    }

    private static boolean isVerbatim(@Nullable Tree body) {
        return body instanceof Tree.Leaf leaf && Content.isVerbatim(leaf.text());
    }
}
