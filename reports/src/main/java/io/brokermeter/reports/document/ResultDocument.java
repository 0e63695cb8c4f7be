package io.brokermeter.reports.document;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.brokermeter.reports.document.DocumentJson.IfKnown;
import io.brokermeter.reports.document.DocumentJson.Inline;
import org.jspecify.annotations.Nullable;

/**
 * The {@code result.json} of a run. Units are in the names; unknown numbers are NaN. {@code docs/output.md} describes the keys.
 *
 * <p>Counts, rates and lengths of time are in maps by their keys, since the tables of figures say which there are: {@code messages},
 * {@code bytes}, {@code rates}, {@code ledger}, and {@code figures} with those beside them.
 *
 * @param result the outcome in words, for example {@code success} or {@code rate missed}
 * @param verdict {@code passed}, {@code failed} or {@code invalid}; null for a run that left no result
 * @param sendsConfirmed whether the broker confirms sends; null in files of versions that did not write it
 * @param times times of messages that were due after the warm-up, by name
 * @param timesWithOverdue the same with those that were due in the warm-up; null if there are none
 * @param connects how long connections took that were made at a rate; null without one
 * @param ledger null where no ledger was kept
 * @param filesEnd end of the other files of the run; null if they are complete
 */
public record ResultDocument(
        long format, String name, @IfKnown(orWith = "verdict") @Nullable String what, @Nullable String start, @IfKnown @Nullable Long seed,
        boolean success,
        String result, @IfKnown @Nullable String verdict, List<String> causes, List<FoundDocument> findings,
        List<LimitDocument> thresholds, @IfKnown @Nullable Long signal, @Nullable Boolean drained, @IfKnown @Nullable Long exitCode,
        @IfKnown @Nullable Long askedMessages, @IfKnown double askedSeconds, boolean sends, boolean receives,
        @IfKnown(orWith = "verdict") @Nullable Boolean sendsConfirmed, Map<String, Double> messages, Map<String, Double> bytes,
        @Inline Map<String, Double> figures, Rates rates, @IfKnown @Nullable WarmedUp warmUp, @IfKnown @Nullable Connects connects,
        Map<String, Long> failureCauses,
        Map<String, Times> times, @IfKnown @Nullable Map<String, Times> timesWithOverdue,
        @IfKnown(orWith = "receives") @Nullable Balance ledger, @IfKnown @Nullable Failover failover, List<Group> groups,
        List<Phase> phases, @IfKnown List<OneAgent> agents, @Nullable BrokerUsage broker, @IfKnown @Nullable Network network,
        GeneratorUsage health, Map<String, String> versions, @IfKnown @Nullable FilesEnd filesEnd) {

    /** Returns the document with other times, those of its groups and phases included. */
    public ResultDocument without(Set<String> names) {
        return new ResultDocument(format, name, what, start, seed, success, result, verdict, causes, findings, thresholds, signal, drained,
            exitCode, askedMessages, askedSeconds, sends, receives, sendsConfirmed, messages, bytes, figures, rates, warmUp, connects,
            failureCauses,
            without(times, names), timesWithOverdue == null ? null : without(timesWithOverdue, names), ledger, failover,
            groups.stream().map(one -> new Group(one.name, one.kind, one.protocol, one.publishesCounts, one.sent, one.completed, one.failed,
                one.received, one.counts, one.messageSeconds, one.messagesPerSecond, without(one.times, names))).toList(),
            phases.stream().map(one -> new Phase(one.name, one.seconds, one.receivingSeconds, one.sent, one.received, one.counts,
                without(one.times, names))).toList(),
            agents, broker, network, health, versions, filesEnd);
    }

    private static Map<String, Times> without(Map<String, Times> times, Set<String> names) {
        Map<String, Times> kept = new LinkedHashMap<>(times);
        kept.keySet().removeAll(names);
        return kept;
    }

    /**
     * Something that a run found out about itself.
     *
     * @param kind its kind, as {@code Finding.kind} returns it
     * @param failure whether it made the run fail
     * @param agent name of the one of several agents that it is about; null if it is about the run
     * @param more what the finding says, by the names of its components
     */
    public record FoundDocument(String kind, boolean failure, String sentence, @IfKnown @Nullable String agent,
            @Inline Map<String, @Nullable Object> more) {}

    /**
     * The value of a run beside a threshold.
     *
     * @param judged whether that says something about the broker, and not about the generator; null in files of versions that did not ask
     * @param ended whether it ended the run
     * @param sentence the expression with the value, or why there is no value
     */
    public record LimitDocument(String expression, @IfKnown @Nullable String phase, String figure, double value, String comparison,
            double limit, String unit, boolean passed, @Nullable Boolean judged, boolean ended, String sentence) {}

    /** Messages and bytes per second, by key. */
    public record Rates(@Inline Map<String, Double> figures, @IfKnown Map<String, Sureness> interval95) {}

    /** The interval of a figure, in its unit; or the number of independent episodes beyond a percentile, where those are too few. */
    public record Sureness(@IfKnown double low, @IfKnown double high, @IfKnown double episodes) {}

    /** How a warm-up ended that lasted until the run had settled. */
    public record WarmedUp(double seconds, double steadyFromSeconds, boolean settled, boolean known) {}

    /**
     * A time of messages.
     *
     * @param figures mean, percentiles and maximum in microseconds, by key: {@code p99.9Micros}
     * @param fewSamples percentiles with too few samples beyond them
     * @param interval95 how sure the percentiles are, in microseconds
     * @param ownStalls what the generator's own stalls alone would have made of the percentiles, in microseconds
     * @param ownStallsExplain the percentiles that these stalls explain
     */
    public record Times(@Inline Map<String, Double> figures, double count, double negativeCount, double clampedCount,
            @IfKnown List<String> fewSamples, @IfKnown Map<String, Sureness> interval95, @IfKnown Map<String, Double> ownStalls,
            @IfKnown(orWith = "ownStalls") List<String> ownStallsExplain) {}

    /** The counts of the ledger, and whether its equations hold; null for a result that does not say. */
    public record Balance(@Inline Map<String, Double> counts, @Nullable Boolean closes) {}

    /**
     * How a run recovered from its first fault and from those that followed.
     *
     * @param further times of faults after the first was over
     */
    public record Failover(
            @Inline FaultBegin begin, boolean faultKnown, @Inline FaultCost cost, @Inline @Nullable Stopped stopped, double attempts,
            double restored, double sendsFailed, double sendsRetried, double confirmedLost, double confirmedUnaccounted, double unknown,
            double unknownDelivered, double duplicatesFlagged, double duplicatesUnflagged, double duplicatesResent, double outOfOrder,
            @IfKnown List<LaterFault> further) implements FaultDocument {}

    /** A later fault of a run. */
    public record LaterFault(@Inline FaultBegin begin, @Inline FaultCost cost, @Inline @Nullable Stopped stopped)
            implements
                FaultDocument {

        @Override
        public boolean faultKnown() {
            return true;
        }

        @Override
        public List<LaterFault> further() {
            return List.of();
        }
    }

    /** A fault whose times a result has. */
    public sealed interface FaultDocument {

        FaultBegin begin();

        FaultCost cost();

        /** Returns whether the moment at which it took effect is known, and not only that at which it was noticed. */
        boolean faultKnown();

        /** Returns the later faults, if this is the first one. */
        List<LaterFault> further();

        /** Returns null for a result of a version that did not write it, and for one without a course of events. */
        @Nullable Stopped stopped();

        /** Returns the last confirmation before the longest time without one, in seconds from the run's start; NaN if it is unknown. */
        default double sendsStoppedSeconds() {
            Stopped known = stopped();
            return known == null ? Double.NaN : known.sendsStoppedSeconds;
        }

        /** Returns the last delivery before the longest time without one, in seconds from the run's start; NaN if it is unknown. */
        default double deliveriesStoppedSeconds() {
            Stopped known = stopped();
            return known == null ? Double.NaN : known.deliveriesStoppedSeconds;
        }
    }

    /**
     * When a fault took effect, and whether the run recovered from it.
     *
     * @param recovered null if that cannot be judged
     * @param fault number of the fault among those of the run; NaN if it is unknown
     */
    public record FaultBegin(@Nullable Boolean recovered, @IfKnown double fault, double faultSeconds) {}

    /** The times of a fault. A time is NaN if it is unknown, and if its event did not happen before the end of the run. */
    public record FaultCost(double detectSeconds, double withoutSendSeconds, double withoutDeliverySeconds, double to95PercentSeconds,
            double catchUpSeconds, double longestWaitSeconds, double rateBefore) {}

    /** When sends and deliveries stopped. */
    public record Stopped(double sendsStoppedSeconds, double deliveriesStoppedSeconds) {}

    /**
     * A group of producers or consumers.
     *
     * @param kind {@code producers} or {@code consumers}
     * @param publishesCounts whether it sends the counts of consumers, and not load
     * @param counts further counts
     */
    public record Group(
            String name, String kind, String protocol, @IfKnown boolean publishesCounts, double sent, double completed, double failed,
            double received, @Inline Map<String, Double> counts, double messageSeconds, double messagesPerSecond,
            Map<String, Times> times) {

        public boolean isProducing() {
            return kind.equals("producers");
        }
    }

    /**
     * A phase of the load.
     *
     * @param receivingSeconds time for which it received; NaN in files of versions that did not write it
     * @param counts further counts
     */
    public record Phase(String name, double seconds, double receivingSeconds, double sent, double received,
            @Inline Map<String, Double> counts, Map<String, Times> times) {

        public double sentPerSecond() {
            return sent / seconds;
        }

        /**
         * Returns the deliveries per second. Deliveries while draining belong to the end of a phase, so its time of deliveries may be
         * longer than that of its sends; files of earlier versions have the latter alone. NaN if the phase was not reached, or its
         * deliveries are unknown.
         */
        public double receivedPerSecond() {
            return seconds > 0 ? received / (receivingSeconds > 0 ? receivingSeconds : seconds) : Double.NaN;
        }
    }

    /**
     * One of several agents.
     *
     * @param verdict {@code sound}, {@code doubtful} or {@code lost}
     * @param lost how it was lost; null if it was not
     */
    public record OneAgent(
            String name, double producers, double consumers, double sent, double received, @Inline Map<String, Double> counts,
            double sentPerSecond, double receivedPerSecond, double cpuSeconds, double cpuPercent, double machineBusyPercent, String verdict,
            List<String> doubts, double clockOffsetMicros, double clockBoundMicros, double startLateMicros, @Nullable String lost) {}

    /**
     * The broker under test.
     *
     * @param observed how it was observed
     * @param metrics further metrics of its own, by name
     */
    public record BrokerUsage(
            String observed, double seconds, double cpuSeconds, double cpuMicrosPerMessage, double cpuPercent, double cpuMaxPercent,
            double residentBytes, double residentMaxBytes, double memoryPercent, double memoryMaxPercent, double waitingPercent,
            double threadsMax,
            @IfKnown String busiestThread, @IfKnown(orWith = "busiestThread") double busiestThreadPercent, double openFilesMax,
            double diskReadBytes, double diskWrittenBytes, double voluntarySwitches, double involuntarySwitches, double heapUsedMaxBytes,
            double heapMaxBytes, double gcPauses, double gcPauseMillis, double depthMaxMessages, @IfKnown Map<String, Double> metrics) {}

    /** The network that the run made between its groups and their brokers. */
    public record Network(String way, String why, Map<String, String> rules, @IfKnown double packetsPassed, @IfKnown double packetsLost,
            @IfKnown double packetsDropped, double cpuSeconds, double cpuPercent) {}

    /**
     * The generator itself.
     *
     * @param verdict whether it was the limit, in a word
     * @param reasons doubts about its part in the figures, one sentence each
     * @param tick how long messages waited for the end of their tick; null without ticks
     */
    public record GeneratorUsage(
            String verdict, List<String> reasons, double cpuSeconds, double cpuPercent, double cpuMicrosPerMessage,
            double machineBusyPercent, double stealPercent, double gcPauses, double gcPauseMillis, double gcLongestPauseMillis,
            double hiccup999Millis, double hiccupMaxMillis, double lateness99Millis, @IfKnown @Nullable Tick tick, double achievedRatio,
            double askedPerSecond,
            double reachedPerSecond, double waitingPercent, String busiestThread, double busiestThreadPercent, double throttledPercent,
            String clockSource, double clockReadingNanos, double clockAndWakeMicros, double residentBytes) {}

    /** For how long messages of the measured part waited for the end of their tick. */
    public record Tick(double lengthMicros, double waitMeanMicros, double waitMaxMicros) {}

    /**
     * How long connections took that were made at a rate, from the moments at which they were due.
     *
     * @param failedAttempts attempts that failed, each followed by another one
     */
    public record Connects(double askedPerSecond, double reachedPerSecond, long count, long failedAttempts, double meanMicros,
            double p50Micros,
            double p99Micros, double maxMicros) {}

    /** The moment up to which the other files of a run are complete, and why they end there. */
    public record FilesEnd(double elapsedSeconds, String reason) {}
}
