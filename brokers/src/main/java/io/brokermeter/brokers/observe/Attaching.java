package io.brokermeter.brokers.observe;

/** Which JVMs of this machine are asked for their heap by attaching to them. */
enum Attaching {

    /** None. */
    NEVER,

    /** Those that were started for the run. */
    OWN,

    /** All that are watched, since the user asked for it. */
    ALL
}
