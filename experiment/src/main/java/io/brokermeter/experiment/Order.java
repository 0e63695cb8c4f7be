package io.brokermeter.experiment;

/** In which order the trials of a sweep run. */
public enum Order {
    /** Every round has every point once, each round in another random order, so that drift falls on no one point. */
    INTERLEAVED,
    /** As they are written: all repetitions of the first point, then of the second. */
    LISTED
}
