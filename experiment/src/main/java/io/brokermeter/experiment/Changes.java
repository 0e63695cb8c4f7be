package io.brokermeter.experiment;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What the command line changes of a scenario file.
 *
 * @param sets overrides, each {@code path=value}, the value in YAML; later ones win
 * @param scale factor for numbers of messages and for durations, above 0; 1 changes nothing
 * @param many whether more than {@value #MANY} trials are meant
 * @param thresholds limits beside those of the file, each as {@code check} has it
 * @param options keys that options of the command line set, which win over the overrides
 * @param copies files that are read in place of others that the file names, by the absolute paths of these
 */
public record Changes(List<String> sets, double scale, boolean many, List<String> thresholds, List<Set> options,
        Map<Path, Path> copies) {

    /**
     * A key that an option sets.
     *
     * @param path of the key
     * @param text its value
     * @param option for sentences about it
     */
    public record Set(String path, String text, String option) {}

    /** More trials than these must be asked for with {@code --yes}. */
    public static final int MANY = 1000;

    /** The file as it is. */
    public static final Changes NONE = new Changes(List.of(), 1, false);

    public Changes {
        sets = List.copyOf(sets);
        thresholds = List.copyOf(thresholds);
        options = List.copyOf(options);
        copies = Map.copyOf(copies);
    }

    /** With the thresholds of the file, and the files that it names. */
    public Changes(List<String> sets, double scale, boolean many) {
        this(sets, scale, many, List.of(), List.of(), Map.of());
    }

    /** With these thresholds beside those of the file. */
    public Changes keeping(List<String> limits) {
        return new Changes(sets, scale, many, limits, options, copies);
    }

    /** With keys that options set. */
    public Changes setting(List<Set> keys) {
        return new Changes(sets, scale, many, thresholds, keys, copies);
    }

    /** With copies in place of files that the file names. */
    public Changes reading(Map<Path, Path> others) {
        return new Changes(sets, scale, many, thresholds, options, others);
    }
}
