package io.brokermeter.engine.scenario.measure;

import java.util.Locale;

/**
 * The table of counts: a row for each number of things that a run did or saw. A row is all that a count needs beside the place that counts
 * it: intervals, phases, groups, processes and results keep vectors of counts, and every output takes the names in it from here.
 */
public enum Count implements Quantity {

    SENT("sent", Unit.MESSAGES, Needs.PRODUCERS, Live.GROWS, "Sends that returned, warm-up included.",
        Output.whole("total sent", "totalSent", "messages.sent"), "Sends"),
    BLOCKED("blocked", Unit.MESSAGES, Needs.PRODUCERS, Live.GROWS, "Messages that found the window full.",
        Output.whole("total blocked", "totalBlocked", "messages.blocked")),
    COMPLETED("completed", Unit.MESSAGES, Needs.PRODUCERS, Live.GROWS, "Sends that were confirmed.",
        Output.whole("total completed", "totalCompleted", "messages.completed")),
    FAILED("failed", Unit.MESSAGES, Needs.PRODUCERS, Live.GROWS, "Sends that failed.",
        Output.whole("failed", "failedMessages", "messages.failed")),
    UNCONFIRMED("unconfirmed", Unit.MESSAGES, Needs.PRODUCERS, Live.NEVER, "Sends whose fate is unknown.",
        Output.whole("unconfirmed", "unconfirmedMessages", "messages.unconfirmed")),
    RECEIVED("received", Unit.MESSAGES, Needs.CONSUMERS, Live.GROWS, "Deliveries, warm-up included.",
        Output.whole("total received", "totalReceived", "messages.received"), "Deliveries"),
    ROLLED_BACK("rolledBack", Unit.MESSAGES, Needs.PRODUCERS, Live.GROWS, "Sends that were rolled back on purpose.",
        Output.rare("rolled back", "rolledBackMessages", "messages.rolledBack")),
    REQUEUED("requeued", Unit.MESSAGES, Needs.CONSUMERS, Live.GROWS, "Deliveries that were given back on purpose.",
        Output.rare("given back", "requeuedDeliveries", "messages.requeued")),
    REJECTED("rejected", Unit.MESSAGES, Needs.CONSUMERS, Live.GROWS, "Deliveries that were refused on purpose.",
        Output.rare("rejected", "rejectedDeliveries", "messages.rejected")),
    UNANSWERED("unanswered", Unit.MESSAGES, Needs.REQUESTS, Live.NEVER, "Requests that got no reply in time.",
        Output.rare("unanswered", "unansweredRequests", "messages.unanswered")),
    SENT_BYTES("sentBytes", Unit.BYTES, Needs.PRODUCERS, Live.GROWS, "Bytes of the bodies of all sends, warm-up included.",
        Output.whole("", "sentBytes", "bytes.sent"), "Bytes sent"),
    COMPLETED_BYTES("completedBytes", Unit.BYTES, Needs.PRODUCERS, Live.GROWS, "Bytes of the bodies of sends that were confirmed.",
        Output.whole("", "completedBytes", "bytes.completed")),
    RECEIVED_BYTES("receivedBytes", Unit.BYTES, Needs.CONSUMERS, Live.GROWS, "Bytes of the bodies of all deliveries, warm-up included.",
        Output.whole("", "receivedBytes", "bytes.received"), "Bytes delivered"),
    RECONNECTS("reconnects", Unit.COUNT, Needs.NOTHING, Live.GROWS, "How often a client restored its connection.",
        Output.whole("reconnects", "reconnects", "reconnects")),

    EXPECTED("expected", Live.NEVER, "Deliveries that were due.", Output.ledger("", "expectedMessages")),
    LEDGER_RECEIVED("ledgerReceived", Live.NEVER, "Deliveries of this run's messages.", Output.ledger("", "receivedMessages")),
    LOST("lost", Live.NEVER, "Confirmed, not delivered, and not in the broker any more.", Output.ledger("lost", "lostMessages")),
    LEFT("left", Live.NEVER, "Still in the broker at the end.", Output.ledger("left", "leftMessages")),
    UNDELIVERED("undelivered", Live.NEVER, "Not delivered in time; whether the broker has them is unknown.",
        Output.ledger("not in time", "undeliveredMessages")),
    UNTAKEN("untaken", Live.NEVER, "Beyond what consumers were to take.", Output.ledger("not taken", "untakenMessages")),
    BEFORE_SUBSCRIPTION("beforeSubscription", Live.NEVER, "Sent before the subscription.",
        Output.ledger("not due", "beforeSubscriptionMessages")),
    LOST_UNCONFIRMED("lostUnconfirmed", Live.NEVER, "Never confirmed and not delivered.", Output.ledger("", "lostUnconfirmedMessages")),
    UNCONFIRMED_DELIVERED("unconfirmedDelivered", Live.NEVER, "Never confirmed and delivered.",
        Output.ledger("", "unconfirmedDeliveredMessages")),
    FAILED_DELIVERED("failedDelivered", Live.NEVER, "Delivered although their sending failed.",
        Output.ledger("", "failedDeliveredMessages")),
    ROLLED_BACK_DELIVERED("rolledBackDelivered", Live.NEVER, "Delivered although rolled back.",
        Output.ledger("", "rolledBackDeliveredMessages")),
    UNSELECTED("unselected", Live.NEVER, "Delivered against the selector.", Output.ledger("unselected", "unselectedMessages")),
    OTHER_DESTINATION("otherDestination", Live.NEVER, "Deliveries of messages that the run sent to other destinations.",
        Output.ledger("other destination", "otherDestinationMessages")),
    DUPLICATES("duplicates", Live.GROWS, "Deliveries of a message that was delivered before.",
        Output.ledger("duplicated", "duplicateMessages")),
    REDELIVERED_DUPLICATES("redeliveredDuplicates", Live.GROWS, "Those that were flagged as redelivered.",
        Output.ledger("", "redeliveredDuplicateMessages")),
    OUT_OF_ORDER("outOfOrder", Live.GROWS, "Deliveries after a later message of the same producer.",
        Output.ledger("out of order", "outOfOrderMessages")),
    REORDER_DEPTH("reorderDepth", Live.GROWS, "By how many messages the worst of them was late.",
        Output.ledger("", "reorderDepthMessages")),
    CORRUPT("corrupt", Live.GROWS, "Messages with a changed body.", Output.ledger("corrupt", "corruptMessages")),
    FOREIGN("foreign", Live.GROWS, "Messages that are not from brokermeter.", Output.ledger("foreign", "foreignMessages")),
    OLD("old", Live.GROWS, "Messages of another run.", Output.ledger("old", "oldMessages"));

    /**
     * The names of a count in outputs, and the runs that have it there.
     *
     * @param label name in the summary on the console; empty for none
     * @param summaryKey key in the summary of {@code --json}
     * @param path path in {@code result.json}, with dots
     * @param rare whether a run shows the count only if it is not 0
     */
    private record Output(String label, String summaryKey, String path, boolean rare) {

        static Output whole(String label, String summaryKey, String path) {
            return new Output(label, summaryKey, path, false);
        }

        static Output rare(String label, String summaryKey, String path) {
            return new Output(label, summaryKey, path, true);
        }

        /** Returns the names of a count of the ledger, which both files have under the same key. */
        static Output ledger(String label, String key) {
            return new Output(label, key, "ledger." + key, false);
        }
    }

    private final Row row;
    private final Output output;
    /** What is counted, in a sentence, for a count that is kept for each phase, too; empty for others. */
    private final String noun;

    Count(String key, Unit unit, Needs needs, Live live, String doc, Output output) {
        this(key, unit, needs, live, doc, output, "");
    }

    Count(String key, Unit unit, Needs needs, Live live, String doc, Output output, String noun) {
        this.row = new Row(key, unit, needs, live, doc);
        this.output = output;
        this.noun = noun;
    }

    /** Creates a count of the ledger. */
    Count(String key, Live live, String doc, Output output) {
        this(key, Unit.MESSAGES, Needs.LEDGER, live, doc, output, "");
    }

    @Override
    public Row row() {
        return row;
    }

    /** Returns whether each phase has the count, too, so that it has a mean rate after the warm-up. */
    @Override
    public boolean isOfPhases() {
        return !noun.isEmpty();
    }

    /** Returns whether the ledger determines the count, when the run is over. */
    public boolean isOfLedger() {
        return needs() == Needs.LEDGER;
    }

    /** Returns whether the count of two parts is the greater of theirs, and not the sum. */
    public boolean isMaximum() {
        return this == REORDER_DEPTH;
    }

    /** Returns whether senders count it; false if receivers do, or neither. */
    public boolean isOfSenders() {
        return needs() == Needs.PRODUCERS || needs() == Needs.REQUESTS;
    }

    /** Returns whether receivers count it; false if senders do, or neither. */
    public boolean isOfReceivers() {
        return needs() == Needs.CONSUMERS || needs() == Needs.LEDGER;
    }

    /** Returns the name of the count on the console; empty for none. */
    public String label() {
        return output.label;
    }

    /** Returns the key of the count in the summary of {@code --json}. */
    public String summaryKey() {
        return output.summaryKey;
    }

    /** Returns the path of the count in {@code result.json}, with dots. */
    public String path() {
        return output.path;
    }

    /** Returns whether a run shows the count only if it is not 0. */
    public boolean isRare() {
        return output.rare;
    }

    /** Returns the key of the count in words. */
    public String words() {
        return key().replaceAll("([A-Z])", " $1").toLowerCase(Locale.ROOT);
    }

    /** Returns what is counted, in a sentence. */
    String noun() {
        return noun;
    }
}
