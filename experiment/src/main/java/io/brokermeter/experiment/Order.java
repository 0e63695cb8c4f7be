package io.brokermeter.experiment;

/** The order in which the trials of a sweep run. */
public enum Order {
    /** Every round has every point once, each round in another random order, so that drift does not affect single points. */
    INTERLEAVED,
    /** The order of the file: all repetitions of the first point, then of the second. */
    LISTED
}
