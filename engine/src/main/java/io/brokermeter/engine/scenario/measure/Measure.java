package io.brokermeter.engine.scenario.measure;

/** A figure of a run that is one number and no {@link Count}: a time, a rate, a share, the usage of a resource, a part of a count. */
public enum Measure implements Quantity {

    MEASURED_SENT("measuredSent", Unit.MESSAGES, Needs.PRODUCERS, Live.NEVER, "Sends after the warm-up."),
    MEASURED_RECEIVED("measuredReceived", Unit.MESSAGES, Needs.CONSUMERS, Live.NEVER, "Deliveries after the warm-up."),
    OVERDUE_SENT("overdueSent", Unit.MESSAGES, Needs.PRODUCERS, Live.NEVER, "Sends after the warm-up that were due in it."),
    OVERDUE_RECEIVED("overdueReceived", Unit.MESSAGES, Needs.CONSUMERS, Live.NEVER, "Deliveries after the warm-up that were due in it."),
    ELAPSED("elapsed", Unit.SECONDS, Needs.NOTHING, Live.NEVER, "From the start of the load to the end of the drain."),
    SENDING_SECONDS("sendingTime", Unit.SECONDS, Needs.PRODUCERS, Live.NEVER, "From the start of the load to the end of sending."),
    RECEIVING_SECONDS("receivingTime", Unit.SECONDS, Needs.CONSUMERS, Live.NEVER, "From the first delivery to the last."),
    MEASURED_SECONDS("measuredTime", Unit.SECONDS, Needs.NOTHING, Live.NEVER, "From the end of the warm-up to the end of sending."),
    MEASURED_RECEIVING_SECONDS("measuredReceivingTime", Unit.SECONDS, Needs.CONSUMERS, Live.NEVER,
        "From the end of the warm-up to the end of sending, or to the last delivery where that is later."),
    SENT_PER_SECOND("sent.wholeRate", Unit.PER_SECOND, Needs.PRODUCERS, Live.NEVER, "Sends a second, warm-up included."),
    COMPLETED_PER_SECOND("completed.wholeRate", Unit.PER_SECOND, Needs.PRODUCERS, Live.NEVER, "Confirmations a second, warm-up included."),
    RECEIVED_PER_SECOND("received.wholeRate", Unit.PER_SECOND, Needs.CONSUMERS, Live.NEVER,
        "Deliveries a second from the first to the last, warm-up included."),
    SUCCESS_PERCENT("success", Unit.PERCENT, Needs.PRODUCERS, Live.VARIES, "Sends that the broker took, of those whose fate is known."),
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

    private final Row row;

    Measure(String key, Unit unit, Needs needs, Live live, String doc) {
        this.row = new Row(key, unit, needs, live, doc);
    }

    @Override
    public Row row() {
        return row;
    }

    @Override
    public boolean isOfPhases() {
        return this == ELAPSED;
    }
}
