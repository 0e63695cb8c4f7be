package io.brokermeter.engine.scenario;

/** A figure of a run that is one number: its name in a threshold, its unit, and what a run needs to have it. */
public enum Quantity {

    SENT("sent", Unit.MESSAGES, Needs.PRODUCERS, Live.GROWS, "Sends that returned, warm-up included."),
    BLOCKED("blocked", Unit.MESSAGES, Needs.PRODUCERS, Live.GROWS, "Messages that found the window full."),
    COMPLETED("completed", Unit.MESSAGES, Needs.PRODUCERS, Live.GROWS, "Sends that were confirmed."),
    FAILED("failed", Unit.MESSAGES, Needs.PRODUCERS, Live.GROWS, "Sends that failed."),
    UNCONFIRMED("unconfirmed", Unit.MESSAGES, Needs.PRODUCERS, Live.NEVER, "Sends whose fate is unknown."),
    RECEIVED("received", Unit.MESSAGES, Needs.CONSUMERS, Live.GROWS, "Deliveries, warm-up included."),
    ROLLED_BACK("rolledBack", Unit.MESSAGES, Needs.PRODUCERS, Live.GROWS, "Sends that were rolled back on purpose."),
    REQUEUED("requeued", Unit.MESSAGES, Needs.CONSUMERS, Live.GROWS, "Deliveries that were given back on purpose."),
    REJECTED("rejected", Unit.MESSAGES, Needs.CONSUMERS, Live.GROWS, "Deliveries that were refused on purpose."),
    UNANSWERED("unanswered", Unit.MESSAGES, Needs.REQUESTS, Live.NEVER, "Requests that got no reply in time."),
    MEASURED_SENT("measuredSent", Unit.MESSAGES, Needs.PRODUCERS, Live.NEVER, "Sends after the warm-up."),
    MEASURED_RECEIVED("measuredReceived", Unit.MESSAGES, Needs.CONSUMERS, Live.NEVER, "Deliveries after the warm-up."),
    OVERDUE_SENT("overdueSent", Unit.MESSAGES, Needs.PRODUCERS, Live.NEVER, "Sends after the warm-up that were due in it."),
    OVERDUE_RECEIVED("overdueReceived", Unit.MESSAGES, Needs.CONSUMERS, Live.NEVER, "Deliveries after the warm-up that were due in it."),
    RECONNECTS("reconnects", Unit.COUNT, Needs.NOTHING, Live.GROWS, "How often a client restored its connection."),

    ELAPSED("elapsed", Unit.SECONDS, Needs.NOTHING, Live.NEVER, "From the start of the load to the end of the drain."),
    SENDING_SECONDS("sendingTime", Unit.SECONDS, Needs.PRODUCERS, Live.NEVER, "From the start of the load to the end of sending."),
    RECEIVING_SECONDS("receivingTime", Unit.SECONDS, Needs.CONSUMERS, Live.NEVER, "From the first delivery to the last."),
    MEASURED_SECONDS("measuredTime", Unit.SECONDS, Needs.NOTHING, Live.NEVER, "From the end of the warm-up to the end of sending."),
    MEASURED_RECEIVING_SECONDS("measuredReceivingTime", Unit.SECONDS, Needs.CONSUMERS, Live.NEVER,
        "From the end of the warm-up to the end of sending, or to the last delivery where that is later."),
    MEAN_SENT("sent.rate", Unit.PER_SECOND, Needs.PRODUCERS, Live.VARIES, "Sends a second after the warm-up."),
    MEAN_RECEIVED("received.rate", Unit.PER_SECOND, Needs.CONSUMERS, Live.VARIES, "Deliveries a second after the warm-up."),
    SENT_PER_SECOND("sent.wholeRate", Unit.PER_SECOND, Needs.PRODUCERS, Live.NEVER, "Sends a second, warm-up included."),
    COMPLETED_PER_SECOND("completed.wholeRate", Unit.PER_SECOND, Needs.PRODUCERS, Live.NEVER, "Confirmations a second, warm-up included."),
    RECEIVED_PER_SECOND("received.wholeRate", Unit.PER_SECOND, Needs.CONSUMERS, Live.NEVER,
        "Deliveries a second from the first to the last, warm-up included."),
    SUCCESS_PERCENT("success", Unit.PERCENT, Needs.PRODUCERS, Live.VARIES, "Sends that the broker took, of those whose fate is known."),

    EXPECTED("expected", Unit.MESSAGES, Needs.LEDGER, Live.NEVER, "Deliveries that were due."),
    LEDGER_RECEIVED("ledgerReceived", Unit.MESSAGES, Needs.LEDGER, Live.NEVER, "Deliveries of this run's messages."),
    LOST("lost", Unit.MESSAGES, Needs.LEDGER, Live.NEVER, "Confirmed, not delivered, and not in the broker any more."),
    LEFT("left", Unit.MESSAGES, Needs.LEDGER, Live.NEVER, "Still in the broker at the end."),
    UNDELIVERED("undelivered", Unit.MESSAGES, Needs.LEDGER, Live.NEVER, "Not delivered in time; whether the broker has them is unknown."),
    UNTAKEN("untaken", Unit.MESSAGES, Needs.LEDGER, Live.NEVER, "Beyond what consumers were to take."),
    BEFORE_SUBSCRIPTION("beforeSubscription", Unit.MESSAGES, Needs.LEDGER, Live.NEVER, "Sent before the subscription."),
    LOST_UNCONFIRMED("lostUnconfirmed", Unit.MESSAGES, Needs.LEDGER, Live.NEVER, "Never confirmed and not delivered."),
    UNCONFIRMED_DELIVERED("unconfirmedDelivered", Unit.MESSAGES, Needs.LEDGER, Live.NEVER, "Never confirmed and delivered."),
    FAILED_DELIVERED("failedDelivered", Unit.MESSAGES, Needs.LEDGER, Live.NEVER, "Delivered although their sending failed."),
    ROLLED_BACK_DELIVERED("rolledBackDelivered", Unit.MESSAGES, Needs.LEDGER, Live.NEVER, "Delivered although rolled back."),
    UNSELECTED("unselected", Unit.MESSAGES, Needs.LEDGER, Live.NEVER, "Delivered against the selector."),
    OTHER_DESTINATION("otherDestination", Unit.MESSAGES, Needs.LEDGER, Live.NEVER,
        "Deliveries of messages that the run sent to other destinations."),
    DUPLICATES("duplicates", Unit.MESSAGES, Needs.LEDGER, Live.GROWS, "Deliveries of a message that was delivered before."),
    REDELIVERED_DUPLICATES("redeliveredDuplicates", Unit.MESSAGES, Needs.LEDGER, Live.GROWS, "Those that were flagged as redelivered."),
    OUT_OF_ORDER("outOfOrder", Unit.MESSAGES, Needs.LEDGER, Live.GROWS, "Deliveries after a later message of the same producer."),
    REORDER_DEPTH("reorderDepth", Unit.MESSAGES, Needs.LEDGER, Live.GROWS, "By how many messages the worst of them was late."),
    CORRUPT("corrupt", Unit.MESSAGES, Needs.LEDGER, Live.GROWS, "Messages with a changed body."),
    FOREIGN("foreign", Unit.MESSAGES, Needs.LEDGER, Live.GROWS, "Messages that are not from brokermeter."),
    OLD("old", Unit.MESSAGES, Needs.LEDGER, Live.GROWS, "Messages of another run."),

    RATE_KEPT("rateKept", Unit.PERCENT, Needs.SCHEDULE, Live.NEVER, "Messages that were sent in time, of those that were due."),
    DOUBTS("doubts", Unit.COUNT, Needs.NOTHING, Live.NEVER, "Reasons to doubt the figures of the generator; 0 for a sound run."),
    CPU_PER_MESSAGE("generator.cpuPerMessage", Unit.MICROS, Needs.NOTHING, Live.NEVER, "CPU time of the generator for each message."),
    BROKER_CPU("broker.cpu", Unit.PERCENT, Needs.NOTHING, Live.NEVER, "Mean CPU of the broker; 100% is one core."),
    BROKER_CPU_MAX("broker.cpuMax", Unit.PERCENT, Needs.NOTHING, Live.NEVER, "The same in its busiest second."),
    BROKER_CPU_PER_MESSAGE("broker.cpuPerMessage", Unit.MICROS, Needs.NOTHING, Live.NEVER, "CPU time of the broker for each message."),
    BROKER_MEMORY("broker.memory", Unit.BYTES, Needs.NOTHING, Live.NEVER, "Mean resident memory of the broker."),
    BROKER_MEMORY_MAX("broker.memoryMax", Unit.BYTES, Needs.NOTHING, Live.NEVER, "The most of it."),
    BROKER_HEAP_MAX("broker.heapMax", Unit.BYTES, Needs.NOTHING, Live.NEVER, "The most heap in use."),
    BROKER_GC("broker.gcTime", Unit.SECONDS, Needs.NOTHING, Live.NEVER, "Time of the broker in garbage collection pauses."),
    BROKER_DEPTH_MAX("broker.depthMax", Unit.MESSAGES, Needs.NOTHING, Live.NEVER, "The most messages that waited in it.");

    /** The units of figures. */
    public enum Unit {
        MESSAGES("messages", "a number of messages, like 0, 1000 or 2M"),
        COUNT("", "a number, like 0 or 5"),
        MICROS("us", "a time with a unit, like 500us or 10ms"),
        SECONDS("s", "a time with a unit, like 500ms or 30s"),
        PER_SECOND("msg/s", "a rate, like 500/s or 37k/s"),
        PERCENT("%", "a percentage, like 99.9%"),
        BYTES("bytes", "a size, like 512MiB or 2GiB");

        private final String suffix;
        private final String form;

        Unit(String suffix, String form) {
            this.suffix = suffix;
            this.form = form;
        }

        /** Returns the name of the unit in files; empty for a plain number. */
        public String suffix() {
            return suffix;
        }

        /** Returns a description of the form of a limit in this unit. */
        String form() {
            return form;
        }
    }

    /** The parts of a run without which a figure does not exist. */
    enum Needs {
        NOTHING(""), PRODUCERS("producers"), CONSUMERS("consumers"), SCHEDULE("a rate or another load with moments"),
        REQUESTS("requests that ask for replies"), DELAYS("a delivery delay"),
        PROCESSING("consumers with a processing time"),
        LEDGER("a ledger, which is kept where there are consumers and messages have envelopes");

        private final String words;

        Needs(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }

        boolean isMetBy(Scenario scenario) {
            return switch (this) {
                case NOTHING -> true;
                case PRODUCERS -> scenario.sends();
                case CONSUMERS -> scenario.receives();
                case SCHEDULE -> scenario.scheduled();
                case REQUESTS -> scenario.producers().stream().anyMatch(side -> side.request() != null);
                case DELAYS -> scenario.receives()
                    && scenario.producers().stream().anyMatch(side -> !side.messages().deliveryDelay().isZero());
                case PROCESSING -> scenario.consumers().stream().anyMatch(side -> !side.processing().isNone());
                case LEDGER -> scenario.receives() && !scenario.isBare();
            };
        }
    }

    /** The ways in which a figure is known while the run goes on. */
    enum Live {
        /** The figure never falls, so a limit that it has passed stays passed. */
        GROWS,
        /** The figure is a mean over the run so far. */
        VARIES,
        /** The figure is known only when the run is over. */
        NEVER
    }

    private final String name;
    private final Unit unit;
    private final Needs needs;
    private final Live live;
    private final String doc;

    Quantity(String name, Unit unit, Needs needs, Live live, String doc) {
        this.name = name;
        this.unit = unit;
        this.needs = needs;
        this.live = live;
        this.doc = doc;
    }

    /** Returns the name of the figure in a threshold. */
    public String key() {
        return name;
    }

    /** Returns the unit of the figure. */
    public Unit unit() {
        return unit;
    }

    /** Returns a description of the figure, one sentence. */
    public String doc() {
        return doc;
    }

    Needs needs() {
        return needs;
    }

    Live live() {
        return live;
    }

    /** Returns whether each phase of a run has the figure, too. */
    public boolean isOfPhases() {
        return this == SENT || this == RECEIVED || this == MEAN_SENT || this == MEAN_RECEIVED || this == ELAPSED;
    }
}
