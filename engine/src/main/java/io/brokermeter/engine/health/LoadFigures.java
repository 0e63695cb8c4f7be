package io.brokermeter.engine.health;

import java.util.Objects;
import java.util.function.Consumer;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The results of the load by which the generator is judged.
 *
 * @param messages number of messages in the measured part, for the CPU time of each
 * @param schedule how the requested rate was kept
 * @param waits times that sending threads waited, as shares of their time; if the rate was missed, those of the threads that missed it,
 *     each in proportion to the number of its messages that were not sent in time
 * @param lateness how late sending threads woke up for a moment of the measured part until which they slept, in nanoseconds
 * @param ticks waits for the end of a tick, which are a part of the send delays
 * @param sendDelay actual minus intended send times, in nanoseconds; empty without a schedule
 * @param response response times (times until the confirmation of a send, if there are none) that readers will trust, in
 *     nanoseconds
 * @param responded whether they are response times
 * @param confirmSeconds mean time until the confirmation of a send; 0 if there were none
 * @param coldResponse the part of these times that belongs to the first seconds of a run without a warm-up; null if there was a
 *     warm-up, or nothing but the first seconds
 * @param coldSeconds length of these first seconds, whole intervals of the reports
 * @param most largest possible number of messages in flight, if nothing is scheduled; 0 with a schedule
 * @param brokerCpuSeconds CPU time of the broker on this machine in the measured part; NaN if unknown, as for a broker elsewhere
 * @param spins whether sending threads may spin while they wait
 * @param far distance from the broker by the network that the run made
 * @param slackRefused why the kernel's timer slack could not be lowered for sending threads; empty if it was
 * @param rateChanges how often somebody changed the rate while the run lasted
 */
public record LoadFigures(
        long messages, Schedule schedule, Waits waits, Histogram lateness, TickDelay ticks, Histogram sendDelay, Histogram response,
        boolean responded,
        double confirmSeconds, @Nullable Histogram coldResponse, double coldSeconds, long most, double brokerCpuSeconds, boolean spins,
        Far far, String slackRefused, int rateChanges) {

    /** Mutable components of a {@link LoadFigures}. */
    @SuppressWarnings("NullAway.Init") // components without a default are checked when the record is created
    public static final class Values {

        public long messages;
        public Schedule schedule;
        public Waits waits = Waits.NONE;
        public Histogram lateness;
        public TickDelay ticks = TickDelay.NONE;
        public Histogram sendDelay;
        public Histogram response;
        public boolean responded = true;
        public double confirmSeconds;
        public @Nullable Histogram coldResponse;
        public double coldSeconds;
        public long most;
        public double brokerCpuSeconds;
        public boolean spins;
        public Far far;
        public String slackRefused;
        public int rateChanges;

        private Values() {}
    }

    /** Creates an instance from the components that {@code change} sets. */
    public static LoadFigures of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new LoadFigures(its.messages, Objects.requireNonNull(its.schedule, "schedule"), its.waits,
            Objects.requireNonNull(its.lateness, "lateness"), its.ticks,
            Objects.requireNonNull(its.sendDelay, "sendDelay"),
            Objects.requireNonNull(its.response, "response"), its.responded, its.confirmSeconds, its.coldResponse, its.coldSeconds,
            its.most,
            its.brokerCpuSeconds, its.spins,
            Objects.requireNonNull(its.far, "far"), Objects.requireNonNull(its.slackRefused, "slackRefused"), its.rateChanges);
    }

    /**
     * The distance of the producers from the broker by a network that the run made.
     *
     * @param roundTripSeconds time that the network adds to a round trip, the least of all scheduled groups; 0 for none
     * @param window number of unconfirmed messages that all of these groups together may have
     * @param confirmSeconds median time until a confirmation
     */
    public record Far(double roundTripSeconds, long window, double confirmSeconds) {

        /**
         * The share of the time until a confirmation that one round trip must be. A confirmation may take two: that of QoS 2 or of a commit
         * does, and so does any of a broker whose sockets hold a small packet back until the one before is acknowledged.
         */
        private static final double ROUND_TRIPS = 0.4;

        /** No network that the run made. */
        public static final Far NONE = new Far(0, 0, 0);

        /**
         * Returns whether full windows carry less than the requested rate at the usual time until a confirmation, and two
         * round trips are most of this time.
         */
        boolean explains(double askedPerSecond) {
            return roundTripSeconds > 0 && confirmSeconds > 0 && roundTripSeconds >= ROUND_TRIPS * confirmSeconds
                && window / confirmSeconds < askedPerSecond;
        }
    }
}
