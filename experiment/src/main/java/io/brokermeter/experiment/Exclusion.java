package io.brokermeter.experiment;

import java.util.List;

/**
 * Two settings that exclude each other.
 *
 * @param first the path of a key, which stands for all of its options, or the name of an option
 * @param second the same
 * @param reason why they cannot go together
 */
public record Exclusion(String first, String second, String reason) {

    /** In place of an option, the arguments of a command that are none. */
    public static final String DESTINATION = "DESTINATION";

    /** Those of a command line, by the names of options. */
    public static List<Exclusion> ofOptions() {
        return KeyTable.EXCLUSIONS.stream().flatMap(pair -> options(pair.first).stream().flatMap(
            one -> options(pair.second).stream().map(other -> new Exclusion(one, other, pair.reason)))).toList();
    }

    private static List<String> options(String side) {
        return side.startsWith("--") || side.equals(DESTINATION) ? List.of(side)
            : Option.all().stream().filter(option -> option.path().equals(side)).map(Option::name).toList();
    }

    /** What is wrong with the second of two keys that a file has both. */
    static String inFile(String first, String second) {
        String other = first.substring(second.lastIndexOf('.') + 1).split("\\.", 2)[0];
        return KeyTable.EXCLUSIONS.stream().filter(pair -> pair.first.equals(first) && pair.second.equals(second)).findFirst()
            .map(pair -> "'" + other + "' stands there too: " + pair.reason + "; leave one out.")
            .orElseThrow();
    }
}
