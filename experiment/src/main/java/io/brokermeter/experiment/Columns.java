package io.brokermeter.experiment;

/** Which columns the table of an experiment has. */
public enum Columns {
    /** Rates and times. */
    DEFAULT,
    /** Messages, success in per cent, seconds, messages a second. */
    ROCKETMQ,
    /** Messages a second, CPU and memory of the broker in per cent. */
    CERN,
    /** What Artemis perf prints: rates, send and transfer times. */
    ARTEMIS
}
