package io.brokermeter.engine.recording;

import java.util.EnumSet;
import java.util.Set;

/** The times that are measured. Each runs on one clock, in nanoseconds. */
public enum Metric {
    /** Actual send minus intended send: how late the generator was. Only with a target rate. */
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
     * Delivery of a delayed message minus the moment at which it was due; one that came before it is below zero, counted
     * and left out.
     */
    LATE_DELIVERY("late-delivery"),
    /**
     * Delivery to the end of the simulated processing: what a handler takes before the next message can be delivered to it. Only where
     * consumers have a processing time; one that the end of the run cut short is left out.
     */
    HANDLER("handler");

    private static final Set<Metric> ONE_WAY = EnumSet.of(TRANSFER, RESPONSE, LATE_DELIVERY);

    private final String tag;

    Metric(String tag) {
        this.tag = tag;
    }

    /** Whether it begins where a message is sent and ends where it is received, which may be machines with a clock each. */
    public boolean isOneWay() {
        return ONE_WAY.contains(this);
    }

    /** Tag in HdrHistogram logs: no spaces, commas or dots. */
    public String tag() {
        return tag;
    }
}
