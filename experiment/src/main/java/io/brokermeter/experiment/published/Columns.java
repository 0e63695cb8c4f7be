package io.brokermeter.experiment.published;

/** The columns of the table of an experiment. */
public enum Columns {
    /** Rates and times. */
    DEFAULT,
    /** Messages, success in per cent, seconds, messages a second. */
    ROCKETMQ,
    /** Messages a second, CPU and memory of the broker in per cent. */
    CERN,
    /** The figures that Artemis perf prints: rates, send and transfer times. */
    ARTEMIS
}
