package io.brokermeter.engine.scenario.measure;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The table of times: a row for each that is measured, in nanoseconds of the run's one clock. Outputs and thresholds take their names from
 * here.
 */
public enum Metric {

    /** The delay of the generator. Only with a target rate. */
    SEND_DELAY("sendDelay", "delay-send", "send delay", "Actual minus intended send; needs a scheduled load, such as a rate.",
        Quantity.Needs.SCHEDULE),
    SEND("send", "send", "send ack time", "Confirmation minus actual send.", Quantity.Needs.PRODUCERS),
    /** What Artemis calls transfer time, a service time. */
    TRANSFER("transfer", "transfer", "transfer time", "Delivery minus actual send.", Quantity.Needs.CONSUMERS),
    /** Free of coordinated omission. Equal to the transfer time when nothing is scheduled. */
    RESPONSE("response", "response", "response time", "Delivery minus intended send; of requests, the reply's.", Quantity.Needs.CONSUMERS),
    ROUND_TRIP("roundTrip", "round-trip", "round trip", "A reply's delivery minus the actual send of its request.",
        Quantity.Needs.REQUESTS),
    /** The time of a message that came earlier than it was due is below zero, and is counted and left out. */
    LATE_DELIVERY("lateDelivery", "late-delivery", "late delivery",
        "Delivery of a delayed message minus the moment at which it was due.", Quantity.Needs.DELAYS),
    /**
     * What a handler takes before the next message can be delivered to it. Only if consumers have a processing time; processing that the
     * end of the run cut short is left out.
     */
    HANDLER("handler", "handler", "handler time", "From a delivery to the end of its simulated processing.", Quantity.Needs.PROCESSING);

    /** The times that a user waits for, the one that tells most first. */
    public static final List<Metric> MAIN = List.of(RESPONSE, TRANSFER, ROUND_TRIP, SEND);
    private static final Set<Metric> ONE_WAY = EnumSet.of(TRANSFER, RESPONSE, LATE_DELIVERY);

    private final String key;
    private final String tag;
    private final String words;
    private final String doc;
    private final Quantity.Needs needs;

    Metric(String key, String tag, String words, String doc, Quantity.Needs needs) {
        this.key = key;
        this.tag = tag;
        this.words = words;
        this.doc = doc;
        this.needs = needs;
    }

    /** Returns the name of the time in a threshold, which precedes the part: {@code response}. */
    public String key() {
        return key;
    }

    /** Returns the tag in HdrHistogram logs, which has no spaces, commas or dots. */
    public String tag() {
        return tag;
    }

    /** Returns the name of the time in {@code result.json}: {@code late-delivery}. */
    public String fileKey() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the name of the time in sentences: {@code send ack time}. */
    public String words() {
        return words;
    }

    /** Returns the name of the time where it is clear that it is one: {@code send ack}. */
    public String label() {
        return words.replace(" time", "");
    }

    /** Returns a description of the time, one sentence. */
    public String doc() {
        return doc;
    }

    public Quantity.Needs needs() {
        return needs;
    }

    /** Returns whether the time begins where a message is sent and ends where it is received, which may be two machines. */
    public boolean isOneWay() {
        return ONE_WAY.contains(this);
    }
}
