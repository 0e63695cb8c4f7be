package io.brokermeter.engine.run.parts;

import io.brokermeter.engine.recording.confidence.Confidences;
import io.brokermeter.engine.recording.confidence.Sections;

/**
 * Defines which stretch of a run each figure covers; no other class chooses a length of time. All moments are nanoseconds since the epoch,
 * all lengths seconds unless stated otherwise.
 *
 * <table>
 * <caption>The stretches</caption>
 * <tr><th>figure</th><th>from</th><th>to</th></tr>
 * <tr><td>sent in the whole run</td><td>start</td><td>end of sending</td></tr>
 * <tr><td>mean sent</td><td>end of the warm-up</td><td>end of sending</td></tr>
 * <tr><td>mean received</td><td>end of the warm-up, or the first moment at which a consumer was open or had a delivery where that came
 * later: where all consumers came after the start, as in a run that only receives</td>
 * <td>end of sending, or the last delivery where that came later; the last delivery where nothing was sent</td></tr>
 * <tr><td>group of producers, and the rate that it reached</td><td>start plus the group's delay</td>
 * <td>end of the group's sending</td></tr>
 * <tr><td>received in the whole run, group of consumers</td><td>first delivery</td><td>last delivery</td></tr>
 * <tr><td>phase</td><td>begin of the phase</td><td>end of the phase, or the end of sending where that came earlier; for the last phase
 * always the end of sending</td></tr>
 * <tr><td>received in a phase</td><td>begin of the phase</td><td>as for a phase, with the last delivery in place of the end of sending if
 * it came later</td></tr>
 * <tr><td>CPU per message</td><td>the reading at the end of the warm-up</td><td>the reading when sending has ended; messages
 * are counted at the moments of the readings</td></tr>
 * <tr><td>interval</td><td colspan="2">from one reading of the counters to the next</td></tr>
 * </table>
 *
 * <p>The end of sending is not the last send. A schedule that ends at a time lasts until that time, however long nothing is due before it.
 * A schedule that ends with a number of messages lasts until the next message would be due, so that ten messages at 10 a second take one
 * second and not 0.9. If messages were late, sending lasts until they were sent; if the run was stopped, until it was stopped.
 *
 * @param start begin of the load
 * @param warmup length of the warm-up in nanoseconds
 * @param sends whether there are producers, in any process
 * @param sendingEnd end of sending of all processes, as far as it is known here; without producers, end of the wait for messages
 * @param opened when the first consumer was open, before the start or after it; 0 for none
 * @param deliveries first and last delivery, 0 for none
 */
public record Spans(long start, long warmup, boolean sends, long sendingEnd, long opened, ShareResult.Extent deliveries) {

    /** Returns the length of the whole load, in seconds. */
    double sending() {
        return seconds(start, sendingEnd);
    }

    /**
     * Returns the length of the stretch in which the messages of the measured part were sent, in seconds; without producers, of the stretch
     * in which they were received.
     */
    double measuredSending() {
        return sends ? seconds(measuredFrom(), sendingEnd) : measuredReceiving();
    }

    /** Returns the length of the stretch in which messages were received in the measured part and after it, in seconds. */
    double measuredReceiving() {
        Sections.Range receiving = measuredReceipts();
        return seconds(receiving.from(), receiving.to());
    }

    private Sections.Range measuredReceipts() {
        long received = deliveries.first() > 0 ? Math.min(opened, deliveries.first()) : opened;
        return new Sections.Range(Math.max(measuredFrom(), received),
            !sends && deliveries.last() > 0 ? deliveries.last() : Math.max(sendingEnd, deliveries.last()));
    }

    /** Returns how sure the figures of the measured part are. */
    Confidences confidences(Sections sections) {
        return sections.confidences(new Sections.Range(measuredFrom(), sendingEnd), measuredReceipts());
    }

    /** Returns the time from the first delivery to the last, in seconds; 0 when there were not two. */
    double receiving() {
        return receiving(deliveries.first(), deliveries.last());
    }

    /** Returns the time from the first delivery of a group to its last, in seconds; 0 when there were not two. */
    static double receiving(long first, long last) {
        return seconds(first, last);
    }

    /**
     * Returns the time in which a group of producers sent, in seconds.
     *
     * @param start start of the run
     * @param delay time from the start of the run to the begin of the group's load, in nanoseconds
     * @param end end of the group's sending
     */
    public static double group(long start, long delay, long end) {
        return seconds(start + delay, end);
    }

    /**
     * Returns the length of a phase, in seconds.
     *
     * @param begin planned begin of the phase
     * @param end planned end of the phase
     * @param last whether no phase comes after this one
     */
    double phase(long begin, long end, boolean last) {
        return seconds(begin, last ? sendingEnd : Math.min(end, sendingEnd));
    }

    /**
     * Returns the length of the stretch in which messages were received in a phase, in seconds. For the last phase that was reached it
     * includes the drain.
     */
    double phaseReceiving(long begin, long end, boolean last) {
        long received = Math.max(sendingEnd, deliveries.last());
        return seconds(begin, last ? received : Math.min(end, received));
    }

    /** Returns {@code count} per second of a stretch; NaN for a stretch without a length. */
    public static double rate(long count, double seconds) {
        return seconds > 0 ? count / seconds : Double.NaN;
    }

    private long measuredFrom() {
        return start + warmup;
    }

    private static double seconds(long from, long to) {
        return Math.max(0, to - from) / 1e9;
    }

    /**
     * Returns when the interval that follows one which ended at {@code ended} is to end. Ends are on a grid of interval lengths from the
     * run's start, so that delays of the reporting thread do not add up. An interval is not shorter than a tenth of that length, so that a
     * late reading is not followed by a stub.
     *
     * @param length length of an interval, in nanoseconds
     */
    public static long nextInterval(long start, long length, long ended) {
        long next = start + (Math.floorDiv(ended - start, length) + 1) * length;
        return next - ended < length / 10 ? next + length : next;
    }
}
