package io.brokermeter.engine.scenario.measure;

/** The times that a threshold can limit. */
public enum Timing {
    SEND_DELAY("sendDelay", "Actual minus intended send; needs a scheduled load, such as a rate.", Quantity.Needs.SCHEDULE),
    SEND("send", "Confirmation minus actual send.", Quantity.Needs.PRODUCERS),
    TRANSFER("transfer", "Delivery minus actual send.", Quantity.Needs.CONSUMERS),
    RESPONSE("response", "Delivery minus intended send; of requests, the reply's.", Quantity.Needs.CONSUMERS),
    ROUND_TRIP("roundTrip", "A reply's delivery minus the actual send of its request.", Quantity.Needs.REQUESTS),
    LATE_DELIVERY("lateDelivery", "Delivery of a delayed message minus the moment at which it was due.", Quantity.Needs.DELAYS),
    HANDLER("handler", "From a delivery to the end of its simulated processing.", Quantity.Needs.PROCESSING);

    private final String name;
    private final String doc;
    private final Quantity.Needs needs;

    Timing(String name, String doc, Quantity.Needs needs) {
        this.name = name;
        this.doc = doc;
        this.needs = needs;
    }

    /** Returns the name of the time in a threshold, which precedes the part: {@code response}. */
    public String key() {
        return name;
    }

    /** Returns a description of the time, one sentence. */
    public String doc() {
        return doc;
    }

    public Quantity.Needs needs() {
        return needs;
    }
}
