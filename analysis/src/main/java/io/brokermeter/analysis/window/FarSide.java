package io.brokermeter.analysis.window;

/** The end that is far away from the broker. */
public enum FarSide {
    PRODUCER, CONSUMER;

    /** Returns the key of the end's group in a scenario file. */
    public String group() {
        return word() + "s";
    }

    /** Returns the name of the end. */
    public String word() {
        return this == PRODUCER ? "producer" : "consumer";
    }
}
