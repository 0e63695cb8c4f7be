package io.brokermeter.engine.finding;

import org.jspecify.annotations.Nullable;

/** Reasons to doubt the figures of a run: a part of {@link Finding}, through which its types are named. */
public interface Doubts extends Culprits {

    /** A reason why the figures of a run may be those of the generator and not of the broker. */
    sealed interface Doubt extends Finding {

        /** Returns the cause of what was seen; null if the doubt has none, or another doubt contains it. */
        default @Nullable Reason reason() {
            return null;
        }

        /** Returns who used the processors; null if that is not part of the doubt. */
        default @Nullable CpuUse cpuUse() {
            Reason reason = reason();
            return reason == null ? null : reason.cpuUse();
        }

        /** Returns whether the generator and not the broker is known to have been measured, so that nothing can be judged by the figures. */
        default boolean invalidates() {
            return false;
        }
    }

    /**
     * A doubt about one of several processes that run parts of the run. Its figures are those of that process.
     *
     * @param agent name of the agent
     */
    record DoubtOfAgent(String agent, Doubt what) implements Doubt {

        @Override
        public String kind() {
            return what.kind();
        }

        @Override
        public @Nullable Reason reason() {
            return what.reason();
        }

        @Override
        public @Nullable CpuUse cpuUse() {
            return what.cpuUse();
        }

        @Override
        public boolean invalidates() {
            return what.invalidates();
        }
    }

    /**
     * Messages that were due were not sent in time.
     *
     * @param share share of the scheduled messages that were sent in time
     * @param reachedPerSecond rate of the sends; NaN if only some of them had a schedule
     */
    record NotSentInTime(double share, double reachedPerSecond, double askedPerSecond, Reason reason) implements Doubt {

        /** The share of messages sent in time from which on the rate is close to the one that was asked, whoever missed it. */
        private static final double CLOSE = 0.99;

        @Override
        public boolean invalidates() {
            return share < CLOSE && reason.blame().invalidates();
        }
    }

    /**
     * Half of the messages were sent so late that response times consist mostly of that delay.
     *
     * @param responded whether there were response times; send ack times do not contain the delay
     * @param reason null if another finding contains the reason
     */
    record MostlyDelay(double medianDelayMillis, boolean responded, @Nullable Reason reason) implements Doubt {

        @Override
        public boolean invalidates() {
            return reason != null && reason.blame().invalidates();
        }
    }

    /** Garbage collection stopped the generator for this share of the time. */
    record GarbageCollected(double share) implements Doubt {}

    /** The CPU limit of the generator's control group stopped it for this share of the time, in {@code throttled} of all periods. */
    record CpuLimited(double share, long throttled, long periods) implements Doubt {}

    /** A hypervisor took this percentage of the CPU time away. */
    record CpuStolen(double percent) implements Doubt {}

    /**
     * The generator's own threads stalled, and that explains a percentile and those above it.
     *
     * @param stoppedShare share of the time for which the whole process stood still
     * @param percentile the least percentile that the stalls explain; NaN if they cost a load without moments much of its time
     * @param floorMillis what the stalls alone would have made of that percentile
     * @param valueMillis value of the percentile
     * @param reason null if another finding contains the reason, or if it is not known
     */
    record HeldUp(double longestMillis, double stoppedShare, double percentile, double floorMillis, double valueMillis,
            @Nullable Reason reason) implements Doubt {

        private static final double MUCH = 0.3;

        @Override
        public boolean invalidates() {
            return percentile <= 50 || Double.isNaN(percentile) && stoppedShare >= MUCH;
        }
    }

    /** The generator used this percentage of the processors available to it. */
    record GeneratorBusy(double percent, int cores) implements Doubt {}

    /** All processors of the machine were busy in a run without a schedule. */
    record MachineBusy(@Nullable CpuUse cpuUse) implements Doubt {}

    /**
     * A thread of the generator was nearly always ready to run and often waited for a processor.
     *
     * @param share the time that it waited, divided by the length of the measured part
     */
    record Starved(double share, @Nullable CpuUse cpuUse) implements Doubt {}

    /** A thread of the generator used this share of a processor and may have been the limit. */
    record ThreadBusy(String thread, double share, boolean sends) implements Doubt {}

    /** A reading of the clock takes long. */
    record ClockSlow(double readingMicros, String source) implements Doubt {}

    /** The clock source of the kernel is slow or coarse. */
    record ClockCoarse(String source) implements Doubt {}

    /** The timer slack of sending threads could not be lowered, so that they may wake up late. */
    record TimerSlack(String refused) implements Doubt {}

    /** Somebody changed the rate while the run lasted, so that its figures are of no single load. */
    record RateChanged(int times) implements Doubt {}

    /** Every process of the generator was lost before it reported how it performed. */
    record NotJudged() implements Doubt {}

    /**
     * The figures include the first seconds of a run without a warm-up.
     *
     * @param responded whether the times are response times; otherwise they are send ack times
     */
    record ColdStart(double p99Millis, double p99WithoutMillis, int seconds, boolean responded) implements Doubt {}
}
