package io.brokermeter.analysis.window;

/** Who is far away from the broker. */
public enum FarSide {
    PRODUCER, CONSUMER;

    /** The key of its group in a scenario file. */
    public String group() {
        return word() + "s";
    }

    /** Its name. */
    public String word() {
        return this == PRODUCER ? "producer" : "consumer";
    }
}
