package io.brokermeter.experiment.table;

import java.util.Arrays;
import java.util.List;

import io.brokermeter.experiment.tree.Tree;
import io.brokermeter.spi.parameter.Nearest;
import org.jspecify.annotations.Nullable;

/**
 * A group of keys at one level of a scenario file.
 *
 * @param name name in the documentation
 * @param doc purpose of the keys, one sentence
 * @param shorthand the key that a value given in place of the keys sets; empty when no such value is allowed
 * @param heading heading of the keys' options in the help; empty where there are none
 * @param switched whether {@code true} and {@code false} may be given in place of the keys
 * @param keys the keys in the order of the documentation
 */
public record Section(String name, String doc, String shorthand, String heading, boolean switched, List<Key> keys) {

    private static final String DESTINATIONS = "destinations";

    public Section {
        keys = List.copyOf(keys);
    }

    /** Creates a section whose keys have no options, or only options below headings of their own. */
    public static Section of(String name, String doc, String shorthand, Key... keys) {
        return of(name, doc, shorthand, "", keys);
    }

    static Section of(String name, String doc, String shorthand, String heading, Key... keys) {
        return new Section(name, doc, shorthand, heading, false, Arrays.asList(keys));
    }

    public Section orSwitched() {
        return new Section(name, doc, shorthand, heading, true, keys);
    }

    /** Returns whether a list of values may be given in place of the keys. */
    public boolean isListed() {
        Key meant = find(shorthand);
        return !shorthand.isEmpty() && meant != null && meant.form().isListed();
    }

    /** Returns the keys that a list given in place of the keys stands for, or null when a list is not allowed. */
    public Tree.@Nullable Fields expand(Tree.Items list) {
        return isListed() ? Tree.Fields.none(list.location()).with(shorthand, list, list.location()) : null;
    }

    public @Nullable Key find(String key) {
        return keys.stream().filter(one -> one.name().equals(key)).findFirst().orElse(null);
    }

    /** Returns a whole sentence about a key that does not exist. */
    String unknown(String word) {
        if (word.equalsIgnoreCase("password") || word.equalsIgnoreCase("passcode")) {
            return "a password does not stand in a file; name a file with 'passwordFile' or an environment variable with "
                + "'passwordEnv'.";
        }
        for (Key key : keys) {
            if (key.hints().contains(word)) {
                return "there is no such key" + where() + "; it is called '" + key.name() + "'.";
            }
        }
        String near = Nearest.to(word, keys.stream().map(Key::name).toList());
        if (near != null) {
            return "there is no such key" + where() + "; did you mean '" + near + "'?";
        }
        String home = KeyTable.home(word);
        return "there is no such key" + where() + (home == null
            ? "; there are " + String.join(", ", keys.stream().map(Key::name).toList()) + "." : "; it belongs to '" + home + "'.");
    }

    private String where() {
        return name.isEmpty() ? "" : " in '" + name + "'";
    }

    /** Returns the keys that a value given in place of the keys stands for, or null when a value is not allowed. */
    public Tree.@Nullable Fields expand(Tree.Leaf leaf) {
        Tree.Fields none = Tree.Fields.none(leaf.location());
        if (leaf.isNothing() || switched && leaf.text().equals("true")) {
            return none;
        }
        if (shorthand.isEmpty()) {
            return null;
        }
        if (name.equals(DESTINATIONS) && leaf.text().startsWith("topic://")) {
            return none.with("topic", new Tree.Leaf(leaf.text().substring(8), true, leaf.location()), leaf.location());
        }
        if (name.equals(DESTINATIONS) && leaf.text().startsWith("queue://")) {
            return none.with("queue", new Tree.Leaf(leaf.text().substring(8), true, leaf.location()), leaf.location());
        }
        return none.with(shorthand, leaf, leaf.location());
    }
}
