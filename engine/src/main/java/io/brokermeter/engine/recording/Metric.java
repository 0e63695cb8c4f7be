package io.brokermeter.engine.recording;

import java.util.EnumSet;
import java.util.Set;

/** The times that are measured, in nanoseconds of the run's one clock. */
public enum Metric {
    /** Actual send minus intended send: the delay of the generator. Only with a target rate. */
    SEND_DELAY("delay-send"),
    /** The broker's confirmation minus the actual send. */
    SEND("send"),
    /** Delivery minus the actual send: what Artemis calls transfer time, a service time. */
    TRANSFER("transfer"),
    /** Delivery minus the intended send: free of coordinated omission. Equal to the transfer time when nothing is scheduled. */
    RESPONSE("response"),
    /** A reply's delivery minus the actual send of its request. */
    ROUND_TRIP("round-trip"),
    /**
     * Delivery of a delayed message minus the moment at which it was due. The time of a message that came earlier is below
     * zero, and is counted and left out.
     */
    LATE_DELIVERY("late-delivery"),
    /**
     * Delivery to the end of the simulated processing: what a handler takes before the next message can be delivered to it. Only if
     * consumers have a processing time; processing that the end of the run cut short is left out.
     */
    HANDLER("handler");

    private static final Set<Metric> ONE_WAY = EnumSet.of(TRANSFER, RESPONSE, LATE_DELIVERY);

    private final String tag;

    Metric(String tag) {
        this.tag = tag;
    }

    /** Returns whether the time begins where a message is sent and ends where it is received, which may be two machines. */
    public boolean isOneWay() {
        return ONE_WAY.contains(this);
    }

    /** Returns the tag in HdrHistogram logs, which has no spaces, commas or dots. */
    public String tag() {
        return tag;
    }
}
