package io.brokermeter.engine.recording;

import java.util.Map;
import java.util.function.Consumer;

import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;

/**
 * The measured part of a run by the clock: the messages that were sent and received in it, whenever they were due.
 *
 * @param seconds length up to the end of sending; for a run that only receives, up to the last delivery
 * @param counts what was counted in each phase of the part; deliveries, of any message, also in the drain after it
 * @param receivingSeconds length up to the last delivery if that comes after the end of sending; if consumers started late, from the
 *     first delivery
 * @param costMessages messages sent (received, for a run without producers) between the readings of CPU times
 * @param costSeconds time between the readings of CPU times
 * @param overdueSent number of sends in the part that were due in the warm-up
 * @param overdueReceived number of deliveries in the part that were due in the warm-up
 * @param times distributions of all messages sent and received in the part; {@link RunResult#measured} has those of the messages that
 *     were due in it
 */
public record MeasuredPart(
        double seconds, Counts counts, double receivingSeconds, long costMessages, double costSeconds, long overdueSent,
        long overdueReceived, Map<Metric, Distribution> times)
        implements
            HasCounts {

    /** Mutable components of a {@link MeasuredPart}. */
    public static final class Values extends HasCounts.Values {

        public double seconds;
        public double receivingSeconds;
        public long costMessages;
        public double costSeconds;
        public long overdueSent;
        public long overdueReceived;
        public Map<Metric, Distribution> times = Map.of();

        private Values() {}
    }

    /** Creates an instance from the components that {@code change} sets. */
    public static MeasuredPart of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new MeasuredPart(its.seconds, its.counts, its.receivingSeconds, its.costMessages, its.costSeconds,
            its.overdueSent, its.overdueReceived, its.times);
    }

    /** The measured part of a run that had none. */
    public static final MeasuredPart NONE = MeasuredPart.of(its -> {
    });

    /** The share of messages due in the warm-up up to which they are not mentioned. */
    private static final double WORTH_A_WORD = 0.01;

    /**
     * Returns whether more than 1 % of the messages were due in the warm-up, so that the times of the messages that were due in this
     * part do not describe the others.
     */
    public boolean isOverdue() {
        return overdueSent > WORTH_A_WORD * sent() || overdueReceived > WORTH_A_WORD * received();
    }

    /** Returns the mean rate of a count, per second; NaN if the part had no length. */
    public double mean(Count count) {
        double length = count.isOfReceivers() ? receivingSeconds : seconds;
        return length > 0 ? count(count) / length : Double.NaN;
    }
}
