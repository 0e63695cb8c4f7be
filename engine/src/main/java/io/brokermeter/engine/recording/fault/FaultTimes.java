package io.brokermeter.engine.recording.fault;

import java.util.function.Consumer;

/**
 * The times of one fault, in seconds, exact to the millisecond. They count from the moment at which the fault took effect, if that is
 * known, otherwise from the moment at which a client noticed a problem. An unknown time is NaN; the time of what did not come before
 * the end of the run is infinite. If the rate before the fault is unknown, or the load ended too soon after the fault to show whether
 * the rate returned, the fault is not {@linkplain #judged() judged}: times that are measured against this rate are NaN.
 *
 * @param fault number of the fault among those of the run, from 1; 0 if unknown
 * @param faultAt when the fault took effect, from the run's start; for a fault that ends a process, when clients first noticed it, if
 *     that came before the process was gone
 * @param detect time until a client reported a problem, a broken connection or a failed send; NaN if none did
 * @param withoutSend the longest time between two confirmations that ended after the fault
 * @param withoutDelivery the longest time between two deliveries that ended after the fault
 * @param to95 time until the confirmations of a second again reached 95 % of the rate before the fault; 0 if they never fell below that,
 *     NaN if the load had no whole second after the fault and no pause lasted to its end
 * @param catchUp time from the first delivery after the longest time without one until a second in which no message had waited longer
 *     than usual: twice the median of the longest waits of the seconds before the fault, and a millisecond; 0 if there was no backlog
 * @param longestWait the longest time from the intended send of a message to its delivery, of messages delivered after the fault
 * @param rateBefore median of the confirmations of each second before the fault in which as many messages were due as at the
 *     fault; 0 if nothing at all was confirmed before it, NaN if nothing was in most of these seconds, or there is none of them
 * @param sendsStopped the last confirmation before the longest time without one, from the run's start; NaN if there was none
 * @param deliveriesStopped the last delivery before the longest time without one, from the run's start; NaN if there was none
 */
public record FaultTimes(
        int fault, double faultAt, double detect, double withoutSend, double withoutDelivery, double to95, double catchUp,
        double longestWait, double rateBefore, double sendsStopped, double deliveriesStopped) {

    /** Mutable components of a {@link FaultTimes}, unknown by default. */
    public static final class Values {

        public int fault;
        public double faultAt = Double.NaN;
        public double detect = Double.NaN;
        public double withoutSend = Double.NaN;
        public double withoutDelivery = Double.NaN;
        public double to95 = Double.NaN;
        public double catchUp = Double.NaN;
        public double longestWait = Double.NaN;
        public double rateBefore = Double.NaN;
        public double sendsStopped = Double.NaN;
        public double deliveriesStopped = Double.NaN;

        private Values() {}
    }

    /** Creates an instance from the components that {@code change} sets. */
    public static FaultTimes of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new FaultTimes(its.fault, its.faultAt, its.detect, its.withoutSend, its.withoutDelivery, its.to95, its.catchUp,
            its.longestWait, its.rateBefore, its.sendsStopped, its.deliveriesStopped);
    }

    /** Returns whether sends and any deliveries returned to what they were; false if that is not {@linkplain #judged() judged}. */
    public boolean recovered() {
        return judged() && withoutSend < FaultPeriod.NEVER && to95 < FaultPeriod.NEVER && withoutDelivery != FaultPeriod.NEVER
            && catchUp != FaultPeriod.NEVER;
    }

    /** Returns whether there was a rate before the fault that could return, and the load lasted long enough to show whether it did. */
    public boolean judged() {
        return rateBefore > 0 && !Double.isNaN(withoutSend);
    }
}
