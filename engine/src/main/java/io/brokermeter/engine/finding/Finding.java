package io.brokermeter.engine.finding;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Something that a run found out about itself: why it failed, or why its figures may be the generator's. The types are closed, and each has its data
 * as components; {@link Sentences} alone makes text of them. Times are in the units of their names, shares from 0 to 1.
 */
public sealed interface Finding {

    /** Why a run failed, or would have failed had it not been permitted. */
    sealed interface Failure extends Finding {}

    /** Why the figures of a run may tell of the generator and not of the broker. */
    sealed interface Doubt extends Finding {

        /** Who used the processors, where that belongs to it. */
        default @Nullable CpuUse cpuUse() {
            return null;
        }
    }

    /** The name of its type in files: {@code sends-failed}. */
    default String kind() {
        return getClass().getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
    }

    /** One sentence for people, without a period: what was seen, and what to change. */
    default String sentence() {
        return Sentences.of(this);
    }

    /** The sentences of findings, in their order. */
    static List<String> sentences(List<? extends Finding> findings) {
        return Sentences.of(findings);
    }

    // ---- failures ----

    /** Something ended the run or a part of it; the sentence is that of a client, the broker or the machine. */
    record Broken(String text) implements Failure {}

    record SendsFailed(long count, Map<String, Long> byCause) implements Failure {
        public SendsFailed {
            byCause = Collections.unmodifiableMap(new LinkedHashMap<>(byCause));
        }
    }

    /** @param delivered those of them that were delivered all the same */
    record Unconfirmed(long count, long delivered) implements Failure {}

    record Unanswered(long count) implements Failure {}

    record RolledBackDelivered(long count) implements Failure {}

    record StrayConfirmations(long count) implements Failure {}

    /**
     * Consumers that were to take a number of messages got fewer.
     *
     * @param group its name, empty when it is the only one
     * @param within how long they had, null for no limit
     */
    record TooFewTaken(String group, long taken, long asked, @Nullable Duration within) implements Failure {}

    record FailedDelivered(long count) implements Failure {}

    record Unselected(long count) implements Failure {}

    record Corrupt(long count) implements Failure {}

    /** Messages that did not come and that the broker does not hold. */
    record Lost(long count, boolean confirmed, Duration drainTimeout) implements Failure {}

    /** Messages that wait in the broker. */
    record Left(long count, Duration drainTimeout) implements Failure {}

    /**
     * Messages that did not come, where nobody knows whether the broker has them.
     *
     * @param stillArriving whether deliveries came up to the end
     */
    record Undelivered(long count, boolean confirmed, Duration drainTimeout, boolean stillArriving) implements Failure {}

    record LedgerOpen(long expected, long received, long duplicates, long lost, long left) implements Failure {}

    /** Less than half of the asked rate was reached. */
    record RateMissed(double share, double reachedPerSecond, double askedPerSecond) implements Failure {

        /** For example {@code 13.5 % of the asked rate: 135.02 of 1000.00 msg/sec}. */
        public String rate() {
            return String.format(Locale.ROOT, "%.1f %% of the asked rate: %.2f of %.2f msg/sec", 100 * share, reachedPerSecond, askedPerSecond);
        }
    }

    // ---- doubts ----

    /** @param share the part of the scheduled messages that was sent in time */
    record NotSentInTime(double share, double reachedPerSecond, double askedPerSecond, Reason reason) implements Doubt {

        @Override
        public @Nullable CpuUse cpuUse() {
            return reason.cpuUse();
        }
    }

    /** @param reason null when another finding has it */
    record MostlyDelay(double medianDelayMillis, @Nullable Reason reason) implements Doubt {

        @Override
        public @Nullable CpuUse cpuUse() {
            return reason == null ? null : reason.cpuUse();
        }
    }

    /** @param reason null when another finding has it */
    record WokeLate(double p99Millis, @Nullable Reason reason) implements Doubt {

        @Override
        public @Nullable CpuUse cpuUse() {
            return reason == null ? null : reason.cpuUse();
        }
    }

    record GarbageCollected(double share) implements Doubt {}

    record CpuLimited(double share, long throttled, long periods) implements Doubt {}

    record CpuStolen(double percent) implements Doubt {}

    /**
     * The machine stopped threads.
     *
     * @param share the part of the messages whose times are the machine's
     */
    record HeldUp(double longestMillis, double stoppedSeconds, double measuredSeconds, double share) implements Doubt {}

    record GeneratorBusy(double percent, int cores) implements Doubt {}

    /** @param scheduled whether there was a rate that can be lowered */
    record MachineBusy(boolean scheduled, @Nullable CpuUse cpuUse) implements Doubt {}

    /** @param share time that threads were ready to run and waited for a processor, added up over all threads, in lengths of the measured part */
    record Starved(double share, @Nullable CpuUse cpuUse) implements Doubt {}

    record ThreadBusy(String thread, double share, boolean sends) implements Doubt {}

    record ClockSlow(double readingMicros, String source) implements Doubt {}

    record ClockCoarse(String source) implements Doubt {}

    record TimerSlack(String refused) implements Doubt {}

    /** The first seconds of a run without a warm-up are in its figures. */
    record ColdStart(double p99Millis, double p99WithoutMillis, int seconds) implements Doubt {}

    /** What kept messages from being sent in time. */
    enum Blame { GARBAGE_COLLECTION, CPU_LIMIT, STOLEN_CPU, STARVED, PRODUCERS_RESTED, SLOW_BROKER, SLOW_SENDERS }

    /**
     * A reason of another finding.
     *
     * @param share how much of the time it took, NaN where that is not known
     */
    record Reason(Blame blame, double share, @Nullable CpuUse cpuUse) {}

    /** Who used the processors of the machine, in percent of all of them; {@code broker} is NaN when it is not known. */
    record CpuUse(double busyPercent, double generatorPercent, double brokerPercent, double othersPercent) {}
}
