package io.brokermeter.experiment;

import java.util.List;

/**
 * What the command line changes of a scenario file.
 *
 * @param sets overrides, each {@code path=value}, the value in YAML; later ones win
 * @param scale factor for numbers of messages and for durations, above 0; 1 changes nothing
 * @param many whether more than {@value #MANY} trials are meant
 */
public record Changes(List<String> sets, double scale, boolean many) {

    /** More trials than these must be asked for with {@code --yes}. */
    public static final int MANY = 1000;

    /** The file as it is. */
    public static final Changes NONE = new Changes(List.of(), 1, false);

    public Changes {
        sets = List.copyOf(sets);
    }
}
