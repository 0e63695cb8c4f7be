package io.brokermeter.engine.run.send;

/** What became of the wish to change the rate of a run. */
public enum RateChange {
    DONE,
    /** The load has not begun, or is over, or nearly so. */
    TOO_LATE,
    /** The load has no rate, or one that changes by itself; or phases, faults or other machines go by it. */
    NOT_OF_THIS_LOAD,
    TOO_OFTEN
}
