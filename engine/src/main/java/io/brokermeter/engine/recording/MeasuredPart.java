package io.brokermeter.engine.recording;

import java.util.Map;
import java.util.function.Consumer;

/**
 * The measured part of a run by the clock: what was sent and received in it, whenever it was due.
 *
 * @param seconds its length up to the end of sending; of a run that only receives, up to the last delivery
 * @param sent sends in it
 * @param received deliveries in it and in the drain after it, of whatever message
 * @param receivingSeconds its length up to the last delivery where that comes after the end of sending; where consumers came late,
 *     from the first delivery
 * @param costMessages messages sent (received, for a run without producers) between the readings of CPU times
 * @param costSeconds time between the readings of CPU times
 * @param overdueSent sends in it that were due in the warm-up
 * @param overdueReceived deliveries in it that were due in the warm-up
 * @param times distributions of all that was sent and received in it; those of what was due in it are {@link RunResult#measured}
 */
public record MeasuredPart(
        double seconds, long sent, long received, double receivingSeconds, long costMessages, double costSeconds, long overdueSent,
        long overdueReceived, Map<Metric, Distribution> times) {

    /** What it is made of by name. */
    public static final class Values {

        public double seconds;
        public long sent;
        public long received;
        public double receivingSeconds;
        public long costMessages;
        public double costSeconds;
        public long overdueSent;
        public long overdueReceived;
        public Map<Metric, Distribution> times = Map.of();

        private Values() {}
    }

    /** Of what {@code change} sets. */
    public static MeasuredPart of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new MeasuredPart(its.seconds, its.sent, its.received, its.receivingSeconds, its.costMessages, its.costSeconds,
            its.overdueSent, its.overdueReceived, its.times);
    }

    /** Of a run that had none. */
    public static final MeasuredPart NONE = MeasuredPart.of(its -> {
    });

    /** The part of its messages that may have been due in the warm-up before it is worth a word. */
    private static final double WORTH_A_WORD = 0.01;

    /** Whether more than 1 % of its messages were due in the warm-up, so that the times of what was due in it do not describe the rest. */
    public boolean isOverdue() {
        return overdueSent > WORTH_A_WORD * sent || overdueReceived > WORTH_A_WORD * received;
    }
}
