package io.brokermeter.engine.health;

import java.util.Objects;
import java.util.function.Consumer;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What the load came to, as far as the generator is judged by it.
 *
 * @param messages messages of the measured part, for the CPU time of each
 * @param schedule how the asked rate was kept
 * @param waits what sending threads waited for, as parts of their time
 * @param lateness how late sending threads woke for a moment they slept for, nanoseconds
 * @param sendDelay actual minus intended sends, nanoseconds; empty without a schedule
 * @param response the response times (send ack times where none were taken) that readers will believe, nanoseconds
 * @param coldResponse those of them that belong to the first seconds of a run without a warm-up; null when there was one, or
 *     nothing but the first seconds
 * @param most messages that can be in flight, where nothing is scheduled; 0 with a schedule
 * @param brokerCpuSeconds CPU time of the broker on this machine in the measured part; NaN when unknown, as that of a broker elsewhere
 * @param spins whether sending threads spin while they wait
 * @param far what the network that the run made has to do with it
 * @param slackRefused why the kernel's timer slack could not be lowered for sending threads; empty when it was
 */
public record LoadFigures(
        long messages, Schedule schedule, Waits waits, Histogram lateness, Histogram sendDelay, Histogram response,
        @Nullable Histogram coldResponse, long most, double brokerCpuSeconds, boolean spins,
        Far far, String slackRefused) {

    /** What it is made of by name. */
    @SuppressWarnings("NullAway.Init") // what has no default is asked for when all is set
    public static final class Values {

        public long messages;
        public Schedule schedule;
        public Waits waits = Waits.NONE;
        public Histogram lateness;
        public Histogram sendDelay;
        public Histogram response;
        public @Nullable Histogram coldResponse;
        public long most;
        public double brokerCpuSeconds;
        public boolean spins;
        public Far far;
        public String slackRefused;

        private Values() {}
    }

    /** Of what {@code change} sets. */
    public static LoadFigures of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new LoadFigures(its.messages, Objects.requireNonNull(its.schedule, "schedule"), its.waits,
            Objects.requireNonNull(its.lateness, "lateness"),
            Objects.requireNonNull(its.sendDelay, "sendDelay"),
            Objects.requireNonNull(its.response, "response"), its.coldResponse, its.most, its.brokerCpuSeconds, its.spins,
            Objects.requireNonNull(its.far, "far"), Objects.requireNonNull(its.slackRefused, "slackRefused"));
    }

    /**
     * How far the producers are from the broker, by a network that the run made.
     *
     * @param roundTripSeconds what it adds to a round trip, the least of all scheduled groups; 0 for none
     * @param window unconfirmed messages that all of them may have
     * @param confirmSeconds the median time until a confirmation
     */
    public record Far(double roundTripSeconds, long window, double confirmSeconds) {

        /** No network. */
        public static final Far NONE = new Far(0, 0, 0);

        /** Whether windows that are full at the usual time of a confirmation carry less than was asked for, and most of that time is the round trip. */
        boolean explains(double askedPerSecond) {
            return roundTripSeconds > 0 && confirmSeconds > 0 && roundTripSeconds >= confirmSeconds / 2
                && window / confirmSeconds < askedPerSecond;
        }
    }
}
