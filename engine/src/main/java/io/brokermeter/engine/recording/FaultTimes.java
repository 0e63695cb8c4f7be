package io.brokermeter.engine.recording;

import java.util.function.Consumer;

/**
 * The times of one fault, in seconds. They count from the moment at which it took effect, where that is known, else from the moment at which a
 * client noticed something; they are exact to the millisecond. A time that is not known is NaN, one that did not come before the end of the run
 * is infinite. Where nothing is known of what was usual before the fault, or the load ended too soon after it to show whether that came back,
 * nothing is {@linkplain #judged() judged}: what is measured against it is NaN.
 *
 * @param fault its number among those of the run, from 1; 0 where it is not known
 * @param faultAt when it took effect, from the run's start; of one that ends a process, when clients first noticed it, where that came before the
 *     process was gone
 * @param detect until a client said that something is wrong: a broken connection or a failed send; NaN when none did
 * @param withoutSend the longest time between two confirmations that ended after the fault
 * @param withoutDelivery the longest time between two deliveries that ended after the fault
 * @param to95 until the confirmations of a second made 95 % of the rate before the fault again; 0 when they never made less, NaN when the
 *     load had no whole second after the fault and nothing stood still to its end
 * @param catchUp from the first delivery after the longest time without one until a second in which no message had waited longer than
 *     usual: twice the longest wait of a second before the fault, the middle one of these, and a millisecond; 0 when there was no
 *     backlog
 * @param longestWait the longest time from a message's intended time to its delivery, of messages that came after the fault
 * @param rateBefore confirmations in a second before the fault, the middle one of these; 0 when nothing at all was confirmed before it, NaN when
 *     nothing was in most of these seconds, or none of them was measured
 * @param sendsStopped the last confirmation before the longest time without one, from the run's start; NaN where there was none
 * @param deliveriesStopped the same of deliveries
 */
public record FaultTimes(
        int fault, double faultAt, double detect, double withoutSend, double withoutDelivery, double to95, double catchUp,
        double longestWait, double rateBefore, double sendsStopped, double deliveriesStopped) {

    /** What it is made of by name; what is not set is not known. */
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

    /** Of what {@code change} sets. */
    public static FaultTimes of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new FaultTimes(its.fault, its.faultAt, its.detect, its.withoutSend, its.withoutDelivery, its.to95, its.catchUp,
            its.longestWait, its.rateBefore, its.sendsStopped, its.deliveriesStopped);
    }

    /** Whether sends and, where there are any, deliveries came back to what they were; false where that is not {@linkplain #judged() judged}. */
    public boolean recovered() {
        return judged() && withoutSend < FaultStretch.NEVER && to95 < FaultStretch.NEVER && withoutDelivery != FaultStretch.NEVER
            && catchUp != FaultStretch.NEVER;
    }

    /** Whether there was a rate before the fault that could come back, and the load went on for long enough to show whether it did. */
    public boolean judged() {
        return rateBefore > 0 && !Double.isNaN(withoutSend);
    }
}
