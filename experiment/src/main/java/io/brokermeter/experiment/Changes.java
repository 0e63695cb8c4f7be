package io.brokermeter.experiment;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The changes that the command line makes to a scenario file. Immutable.
 *
 * @param sets overrides, each {@code path=value}, the value in YAML; later ones take precedence
 * @param scale factor for numbers of messages and for durations, above 0, in place of the file's; null for that of the file, else 1
 * @param many whether more than {@value #MANY} trials are intended
 * @param thresholds limits in addition to those of the file, each in the form of the key {@code check}
 * @param options keys that options of the command line set, which take precedence over the overrides
 * @param copies files that are read in place of files that the scenario file names, by the absolute paths of the latter
 */
public record Changes(List<String> sets, @Nullable Double scale, boolean many, List<String> thresholds, List<Set> options,
        Map<Path, Path> copies) {

    /**
     * A key that an option sets.
     *
     * @param path path of the key
     * @param text value of the key
     * @param option the option, for sentences about the key
     * @param variable whether an environment variable set the option, which leaves a key that varies to the sweep, and has no effect
     *     where nothing names agents: it may be meant for another command
     */
    public record Set(String path, String text, String option, boolean variable) {}

    /** The greatest number of trials that run without {@code --yes}. */
    public static final int MANY = 1000;

    /** No changes. */
    public static final Changes NONE = new Changes(List.of(), false);

    public Changes {
        sets = List.copyOf(sets);
        thresholds = List.copyOf(thresholds);
        options = List.copyOf(options);
        copies = Map.copyOf(copies);
    }

    /** Creates changes without a scale, additional thresholds, options and copies. */
    public Changes(List<String> sets, boolean many) {
        this(sets, null, many, List.of(), List.of(), Map.of());
    }

    /** Returns these changes with this scale in place of the file's, also where it is 1; null for that of the file. */
    public Changes scaled(@Nullable Double factor) {
        return new Changes(sets, factor, many, thresholds, options, copies);
    }

    /** Returns these changes with these thresholds in addition to those of the file. */
    public Changes keeping(List<String> limits) {
        return new Changes(sets, scale, many, limits, options, copies);
    }

    /** Returns these changes with these keys set by options. */
    public Changes setting(List<Set> keys) {
        return new Changes(sets, scale, many, thresholds, keys, copies);
    }

    /** Returns these changes with these copies in place of files that the scenario file names. */
    public Changes reading(Map<Path, Path> others) {
        return new Changes(sets, scale, many, thresholds, options, others);
    }
}
