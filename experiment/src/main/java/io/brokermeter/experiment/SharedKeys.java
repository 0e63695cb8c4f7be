package io.brokermeter.experiment;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.scenario.Content;
import io.brokermeter.engine.scenario.UsageException;
import org.jspecify.annotations.Nullable;

/**
 * Keys of a whole file that groups replace by their own. One that every group replaces has no effect, so a trial that is named by its value would
 * make another load than its name says.
 */
final class SharedKeys {

    private SharedKeys() {}

    /**
     * Returns why the value at a path has no effect, as one sentence; null when it has one, or when there is no value.
     *
     * @param file a file without a sweep, whose keys and values were checked
     */
    static @Nullable String withoutEffect(Tree.Fields file, String path) {
        Place place = file.place();
        try {
            Tree value = KeyPath.get(file, path, place);
            List<String> parts = KeyPath.plain(file, path, place);
            String key = parts.getFirst();
            List<String> sides = switch (key) {
                case "load", "message" -> List.of("producers");
                case "destinations" -> List.of("producers", "consumers");
                default -> List.of();
            };
            if (key.equals("message")) {
                // The keys of messages are replaced one by one.
                key = parts.size() > 1 ? key + "." + parts.get(1) : value instanceof Tree.Leaf ? "message.size" : "";
            }
            if (Tree.isNothing(value) || sides.isEmpty() || key.isEmpty()) {
                return null;
            }
            List<String> groups = new ArrayList<>();
            for (String side : sides) {
                groups.addAll(groups(file.get(side), side));
            }
            for (String group : groups) {
                if (!isReplaced(file, group, key, place)) {
                    return null;
                }
            }
            return groups.isEmpty() ? null
                : "it has no effect, since every group replaces '" + key + "' by its own; name '" + groups.getFirst() + "."
                    + (path.equals("message") ? key : path) + "' in its place.";
        } catch (UsageException e) {
            // The path is refused elsewhere.
            return null;
        }
    }

    private static boolean isReplaced(Tree.Fields file, String group, String key, Place place) {
        if (!Tree.isNothing(KeyPath.get(file, group + "." + key, place))) {
            return true;
        }
        // A group's file or template as its body takes the size of the whole file away, too.
        return key.equals("message.size") && Content.isVerbatim(KeyPath.get(file, group + ".message.body", place).flow());
    }

    private static List<String> groups(@Nullable Tree side, String name) {
        if (side instanceof Tree.Items list) {
            List<String> groups = new ArrayList<>();
            for (int i = 0; i < list.items().size(); i++) {
                groups.add(name + "." + i);
            }
            return groups;
        }
        return side == null || Tree.isNothing(side) ? List.of() : List.of(name);
    }
}
