package io.brokermeter.engine.scenario;

/** How a sending thread waits for the moment a message is due. */
public enum Pacing {
    /** Spin where cores are free for it, otherwise park. */
    AUTO,
    /** Park the thread all the way; never takes a core from the broker. */
    PARK,
    /** Park until shortly before the moment, then spin. */
    HYBRID,
    /** Spin all the way: a core per sending thread. */
    SPIN
}
