package io.brokermeter.experiment;

import java.util.Arrays;
import java.util.List;

import io.brokermeter.spi.Nearest;
import org.jspecify.annotations.Nullable;

/**
 * Keys that stand together.
 *
 * @param name for the documentation
 * @param doc what they are about, one sentence
 * @param shorthand the key that is meant when a value stands in place of the keys, empty when that may not be
 * @param heading of the options for its keys in the help; empty where there are none
 * @param switched whether {@code true} and {@code false} may stand in place of the keys
 * @param keys in the order of the documentation
 */
record Section(String name, String doc, String shorthand, String heading, boolean switched, List<Key> keys) {

    private static final String DESTINATIONS = "destinations";

    Section {
        keys = List.copyOf(keys);
    }

    /** One whose keys no option sets, or options below headings of their own. */
    static Section of(String name, String doc, String shorthand, Key... keys) {
        return of(name, doc, shorthand, "", keys);
    }

    static Section of(String name, String doc, String shorthand, String heading, Key... keys) {
        return new Section(name, doc, shorthand, heading, false, Arrays.asList(keys));
    }

    Section orSwitched() {
        return new Section(name, doc, shorthand, heading, true, keys);
    }

    /** Whether a list of values may stand in place of the keys. */
    boolean isListed() {
        Key meant = find(shorthand);
        return !shorthand.isEmpty() && meant != null && meant.form().isListed();
    }

    /** The keys that a list in place of the keys stands for, or null when it may not stand there. */
    Tree.@Nullable Fields expand(Tree.Items list) {
        return isListed() ? Tree.Fields.none(list.place()).with(shorthand, list, list.place()) : null;
    }

    @Nullable Key find(String key) {
        return keys.stream().filter(one -> one.name().equals(key)).findFirst().orElse(null);
    }

    /** What to say about a key that there is not: a whole sentence. */
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

    /** The keys that a value in place of the keys stands for, or null when it may not stand there. */
    Tree.@Nullable Fields expand(Tree.Leaf leaf) {
        Tree.Fields none = Tree.Fields.none(leaf.place());
        if (leaf.isNothing() || switched && leaf.text().equals("true")) {
            return none;
        }
        if (shorthand.isEmpty()) {
            return null;
        }
        if (name.equals(DESTINATIONS) && leaf.text().startsWith("topic://")) {
            return none.with("topic", new Tree.Leaf(leaf.text().substring(8), true, leaf.place()), leaf.place());
        }
        if (name.equals(DESTINATIONS) && leaf.text().startsWith("queue://")) {
            return none.with("queue", new Tree.Leaf(leaf.text().substring(8), true, leaf.place()), leaf.place());
        }
        return none.with(shorthand, leaf, leaf.place());
    }
}
