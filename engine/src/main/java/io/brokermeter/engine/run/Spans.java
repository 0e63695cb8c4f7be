package io.brokermeter.engine.run;

/**
 * Which stretch of a run each figure is about; nowhere else is a length of time chosen. All moments are nanoseconds since the epoch,
 * all lengths seconds.
 *
 * <table>
 * <caption>The stretches</caption>
 * <tr><th>figure</th><th>from</th><th>to</th></tr>
 * <tr><td>sent in the whole run</td><td>start</td><td>end of sending</td></tr>
 * <tr><td>mean sent</td><td>end of the warm-up</td><td>end of sending</td></tr>
 * <tr><td>mean received</td><td>end of the warm-up; where all consumers came after the start, as in a run that only receives, the first
 * moment at which one was open or had a delivery, where that came later</td>
 * <td>end of sending, or the last delivery where that came later; the last delivery where nothing was sent</td></tr>
 * <tr><td>group of producers, and the rate that it reached of what was asked</td><td>start and its delay</td>
 * <td>end of its sending</td></tr>
 * <tr><td>received in the whole run, group of consumers</td><td>first delivery</td><td>last delivery</td></tr>
 * <tr><td>phase</td><td>its begin</td><td>its end, or the end of sending; the last phase always to the end of sending</td></tr>
 * <tr><td>received in a phase</td><td>its begin</td><td>the same, or the last delivery where that is later than the end of sending</td></tr>
 * <tr><td>CPU per message</td><td>the reading at the end of the warm-up</td><td>the reading when sending has ended; messages
 * are counted at the moments of the readings</td></tr>
 * <tr><td>interval</td><td colspan="2">from one reading of the counters to the next</td></tr>
 * </table>
 *
 * <p>The end of sending is not the last send. A schedule that ends with the time lasts until then, however long nothing is due before it; one
 * that ends with a number of messages lasts until the next one would be due, so that ten messages at 10 a second take one second and
 * not 0.9. What was late lasts until it was sent, and a run that was stopped until it was.
 *
 * @param start begin of the load
 * @param warmup length of the warm-up in nanoseconds
 * @param sends whether there are producers
 * @param sendingEnd end of sending; without producers, of waiting for messages
 * @param opened when the first consumer was open, before the start or after it; 0 for none
 * @param deliveries first and last delivery, 0 for none
 */
record Spans(long start, long warmup, boolean sends, long sendingEnd, long opened, RunPart.Stretch deliveries) {

    /** Of the whole load. */
    double sending() {
        return seconds(start, sendingEnd);
    }

    /** Of what was sent in the measured part; without producers, of what was received in it. */
    double measuredSending() {
        return sends ? seconds(measuredFrom(), sendingEnd) : measuredReceiving();
    }

    /** Of what was received in the measured part and after it. */
    double measuredReceiving() {
        long received = deliveries.first() > 0 ? Math.min(opened, deliveries.first()) : opened;
        long from = Math.max(measuredFrom(), received);
        return seconds(from, !sends && deliveries.last() > 0 ? deliveries.last() : Math.max(sendingEnd, deliveries.last()));
    }

    /** From the first delivery to the last; 0 when there were not two. */
    double receiving() {
        return receiving(deliveries.first(), deliveries.last());
    }

    /** The same of a group. */
    static double receiving(long first, long last) {
        return seconds(first, last);
    }

    /**
     * Of what a group of producers sent.
     *
     * @param delay how long after the start of the run its load began, nanoseconds
     * @param end end of its sending
     */
    double group(long delay, long end) {
        return seconds(start + delay, end);
    }

    /**
     * Of a phase.
     *
     * @param begin its planned begin
     * @param end its planned end
     * @param last whether no phase comes after it
     */
    double phase(long begin, long end, boolean last) {
        return seconds(begin, last ? sendingEnd : Math.min(end, sendingEnd));
    }

    /** The same for what was received in it, which in the last phase that was reached comes in the drain as well. */
    double phaseReceiving(long begin, long end, boolean last) {
        long received = Math.max(sendingEnd, deliveries.last());
        return seconds(begin, last ? received : Math.min(end, received));
    }

    /** How many a second in a stretch; NaN in none. */
    static double rate(long count, double seconds) {
        return seconds > 0 ? count / seconds : Double.NaN;
    }

    private long measuredFrom() {
        return start + warmup;
    }

    private static double seconds(long from, long to) {
        return Math.max(0, to - from) / 1e9;
    }

    /**
     * When the interval after one that ended at {@code ended} is to end: on the grid of interval lengths from the run's start, so that delays of
     * the reporting thread do not add up; and no sooner than a tenth of a length, so that a late reading is not followed by a
     * stub.
     */
    static long nextInterval(long start, long length, long ended) {
        long next = start + (Math.floorDiv(ended - start, length) + 1) * length;
        return next - ended < length / 10 ? next + length : next;
    }
}
