package io.brokermeter.experiment.table;

import java.util.List;

/**
 * Two settings that exclude each other.
 *
 * @param first path of a key, which stands for all options that set it, or name of an option
 * @param second path of the other key, or name of the other option
 * @param reason why they cannot be used together
 */
public record Exclusion(String first, String second, String reason) {

    /** The name that stands for the positional arguments of a command in place of an option. */
    public static final String DESTINATION = "DESTINATION";

    /** Returns the exclusions of a command line, with names of options on both sides. */
    public static List<Exclusion> ofOptions() {
        return KeyTable.EXCLUSIONS.stream().flatMap(pair -> options(pair.first).stream().flatMap(
            one -> options(pair.second).stream().map(other -> new Exclusion(one, other, pair.reason)))).toList();
    }

    private static List<String> options(String side) {
        return side.startsWith("--") || side.equals(DESTINATION) ? List.of(side)
            : Option.all().stream().filter(option -> option.path().equals(side)).map(Option::name).toList();
    }

    /** Returns the message about the second of two keys that exclude each other and are both in a file. */
    public static String inFile(String first, String second) {
        String other = first.substring(second.lastIndexOf('.') + 1).split("\\.", 2)[0];
        return KeyTable.EXCLUSIONS.stream().filter(pair -> pair.first.equals(first) && pair.second.equals(second)).findFirst()
            .map(pair -> "'" + other + "' stands there too: " + pair.reason + "; leave one out.")
            .orElseThrow();
    }
}
