package io.brokermeter.brokers.observe;

/** Which JVMs of this machine are asked for their heap. */
enum Attaching {

    /** None. */
    NEVER,

    /** Those that were started for the run. */
    OWN,

    /** All that are watched, by attaching to those that were not started for the run, since the user asked for it. */
    ALL
}
