package io.brokermeter.engine.scenario;

/** The ways in which a sending thread waits for the moment at which a message is due. */
public enum Pacing {
    /** Spin if cores are free for that, otherwise park. */
    AUTO,
    /** Park the thread for the whole time, which never takes a core from the broker. */
    PARK,
    /** Park until shortly before the moment, then spin. */
    HYBRID,
    /** Spin for the whole time, which takes a core for each sending thread. */
    SPIN
}
