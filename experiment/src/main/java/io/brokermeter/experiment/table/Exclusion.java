package io.brokermeter.experiment.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

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
        Map<String, List<String>> keys =
            Option.all().stream().collect(Collectors.groupingBy(Option::path, Collectors.mapping(Option::name, Collectors.toList())));
        List<Exclusion> all = new ArrayList<>();
        for (Exclusion pair : KeyTable.EXCLUSIONS) {
            for (String one : options(pair.first, keys)) {
                options(pair.second, keys).forEach(other -> all.add(new Exclusion(one, other, pair.reason)));
            }
        }
        return all;
    }

    private static List<String> options(String side, Map<String, List<String>> keys) {
        return side.startsWith("--") || side.equals(DESTINATION) ? List.of(side) : keys.getOrDefault(side, List.of());
    }

    /** Returns the message about the second of two keys that exclude each other and are both in a file. */
    public static String inFile(String first, String second) {
        String other = first.substring(second.lastIndexOf('.') + 1).split("\\.", 2)[0];
        return KeyTable.EXCLUSIONS.stream().filter(pair -> pair.first.equals(first) && pair.second.equals(second)).findFirst()
            .map(pair -> "'" + other + "' stands there too: " + pair.reason + "; leave one out.")
            .orElseThrow();
    }
}
