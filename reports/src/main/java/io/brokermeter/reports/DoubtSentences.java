package io.brokermeter.reports;

import static io.brokermeter.reports.Sentences.text;

import java.util.function.Function;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/** Turns doubts about the generator into sentences: what it or its machine could not do, why, and what to change. Thread-safe. */
final class DoubtSentences {

    private static final String MEMORY = "give it more memory for new objects than it has, by -Xmn in JAVA_ARGS";

    private final Function<Setting, String> names;

    /** @param names names of settings where they were set */
    DoubtSentences(Function<Setting, String> names) {
        this.names = names;
    }

    /**
     * Returns the sentence of a doubt.
     *
     * @param use use of the processors, if the sentence is to report it; otherwise null
     */
    String of(Finding.Doubt doubt, Finding.@Nullable CpuUse use) {
        return switch (doubt) {
            case Finding.DoubtOfAgent f -> f.agent() + ": " + of(f.what(), use);
            case Finding.NotSentInTime f -> text("only %.1f %% of the scheduled messages were sent in time%s, %s", 100 * f.share(),
                Double.isFinite(f.reachedPerSecond())
                    ? text(" (the rate was %.2f of %.2f msg/sec)", f.reachedPerSecond(), f.askedPerSecond()) : "",
                because(f.reason(), use));
            case Finding.MostlyDelay f -> text("half of the messages were sent more than %.1f ms after they were due, %s%s",
                f.medianDelayMillis(), f.responded() ? "so the response times are mostly that wait"
                    : "and the send ack times leave that wait out",
                f.reason() == null ? "" : ", " + because(f.reason(), use));
            case Finding.GarbageCollected f -> text("garbage collection stopped the generator for %.1f %% of the time: %s",
                100 * f.share(), MEMORY);
            case Finding.CpuLimited f -> text("the CPU limit of the generator's control group stopped it for %.1f %% of the time (in %d "
                + "of %d periods): raise the limit", 100 * f.share(), f.throttled(), f.periods());
            case Finding.CpuStolen f -> text("a hypervisor took %.1f %% of the CPU time away: use a dedicated machine", f.percent());
            case Finding.HeldUp f -> stalls(f) + (f.reason() == null ? "" : ", " + stalled(f.reason(), use));
            case Finding.GeneratorBusy f -> text("the generator used %.0f %% of %s and may have been the limit: spread the load over more "
                + "machines", f.percent(), f.cores() == 1 ? "the only core" : text("all %d cores", f.cores()));
            case Finding.MachineBusy f -> text("all cores of this machine were busy%s, so %s: free cores, or %s", use(use),
                isBrokerHere(f.cpuUse()) ? "generator and broker waited for each other or for others" : "the generator waited for others",
                elsewhere(f.cpuUse()));
            case Finding.Starved f -> text("a thread of the generator always had something to do and waited for a processor for %.0f %% of "
                + "the time%s: free cores, or give it more of them", 100 * f.share(), use(use));
            case Finding.ThreadBusy f -> text("the thread %s of the generator used %.0f %% of a processor and may have been the limit: %s",
                f.thread(), 100 * f.share(), f.sends() ? "raise " + names.apply(Setting.THREADS) + ", or spread the load over more machines"
                    : "use more producers or consumers, each of which has a connection");
            case Finding.NotJudged _ ->
                "every agent was lost, so nothing is known of how the generator did, and the figures are what the agents "
                    + "had reported until then";
            case Finding.ClockSlow f -> text("a reading of the clock takes %.1f us (the kernel's clock source is %s), and each message "
                + "needs several: use a machine whose clock source is tsc", f.readingMicros(),
                f.source().isEmpty() ? "unknown" : f.source());
            case Finding.ClockCoarse f -> text("the kernel's clock source is %s, which is slow or coarse: use a machine whose clock source "
                + "is tsc", f.source());
            case Finding.TimerSlack f -> "sending threads may wake up to 50 us late, which counts beside such short times: " + f.refused();
            case Finding.RateChanged f -> text("the rate was changed %s while the run lasted, so its figures are of no single load",
                f.times() == 1 ? "once" : f.times() + " times");
            case Finding.ColdStart f -> text("there was no warm-up, and the p99 %s time is %.2f ms with the start of the run and "
                + "%.2f ms without its first %d s: use %s", f.responded() ? "response" : "send ack", f.p99Millis(), f.p99WithoutMillis(),
                f.seconds(), names.apply(Setting.WARMUP));
        };
    }

    /** Explains why messages were not sent in time. */
    private String because(Finding.Reason reason, Finding.@Nullable CpuUse use) {
        double percent = 100 * reason.share();
        return switch (reason.blame()) {
            case GARBAGE_COLLECTION -> text("because the generator spent %.0f %% of the time in its own garbage collection: %s", percent,
                MEMORY);
            case CPU_LIMIT -> text("because the CPU limit of the generator's control group stopped it for %.0f %% of the time: raise the "
                + "limit", percent);
            case STOLEN_CPU -> text("because a hypervisor took %.0f %% of the CPU time away: use a dedicated machine", percent);
            case STARVED -> text("because threads of the generator that were ready to run waited for a processor, one of them for %.0f %% "
                + "of the time%s: free cores, lower %s, or %s", percent, use(use), names.apply(Setting.RATE), elsewhere(reason.cpuUse()));
            case PRODUCERS_RESTED -> text("because the producers rested (%s, or after sends that failed): shorten it, raise %s, or "
                + "lower %s", names.apply(Setting.THINK_TIME), names.apply(Setting.PRODUCERS), names.apply(Setting.RATE));
            case SLOW_BROKER ->
                text("because the broker confirmed too slowly for %s%s: raise it, or lower %s", names.apply(Setting.MAX_PENDING),
                    use(use), names.apply(Setting.RATE));
            case ROUND_TRIP -> text(
                "because the windows (%s) were full: what they hold is confirmed once in a round trip, to which the network "
                    + "adds %s ms; raise it, or lower %s",
                names.apply(Setting.MAX_PENDING), Numbers.plain(reason.roundTripMillis()), names.apply(Setting.RATE));
            case CONNECTIONS_LOST ->
                text("because for %s lost connections were being reconnected (%s): see the reconnects", partOfTime(percent),
                    names.apply(Setting.RECONNECT));
            case CALLS_WAITED -> text(
                "because the sending threads waited for %s within calls of the client, as a send does that "
                    + "has no credit, or that returns when the broker has confirmed: raise %s and %s or the client's window, or lower %s",
                partOfTime(percent),
                names.apply(Setting.PRODUCERS), names.apply(Setting.THREADS), names.apply(Setting.RATE));
            case STOPPED -> text("because the generator or its whole machine stood still for %.0f %% of the time: use a machine that "
                + "does not", percent);
            case NOT_TOLD_APART ->
                text("because confirmations were late, and whether the broker or this machine was slow is not to be told "
                    + "apart%s: free cores, or run the generator elsewhere", use(use));
            case SLOW_SENDERS -> text("because the sending threads could not keep up: lower %s, or raise %s", names.apply(Setting.RATE),
                names.apply(Setting.THREADS));
        };
    }

    /** Returns a part of the time in words: one this small is a reason only because it was much of the time in which there was something to do. */
    private static String partOfTime(double percent) {
        return percent < 5 ? "much of the time in which messages were due" : text("%.0f %% of the time", percent);
    }

    /** Describes the stalls of the generator's own threads and the percentile that they explain. */
    private static String stalls(Finding.HeldUp f) {
        return Double.isNaN(f.percentile())
            ? text("the generator stood still for %.0f %% of the time, up to %s at once, and sent nothing in it", 100 * f.stoppedShare(),
                Amounts.time(1e3 * f.longestMillis()))
            : text(
                "the generator's own threads stalled for up to %s, which alone makes p%s %s of its %s: it and what is above it may be the "
                    + "generator's, not the broker's",
                Amounts.time(1e3 * f.longestMillis()), Numbers.plain(f.percentile()),
                Amounts.time(1e3 * f.floorMillis()), Amounts.time(1e3 * f.valueMillis()));
    }

    /** Explains why threads stalled. */
    private String stalled(Finding.Reason reason, Finding.@Nullable CpuUse use) {
        return switch (reason.blame()) {
            case GARBAGE_COLLECTION -> text("mostly in the generator's own garbage collection (%.1f %% of the time): %s",
                100 * reason.share(), MEMORY);
            case CPU_LIMIT -> "stopped by the CPU limit of their control group: raise the limit";
            case STOLEN_CPU -> "while a hypervisor took the processors away: use a dedicated machine";
            case STOPPED -> "while the whole process or its machine stood still, as if stopped or suspended";
            default -> text("since there was too little CPU time%s: free cores, lower %s, or %s", use(use), names.apply(Setting.RATE),
                elsewhere(reason.cpuUse()));
        };
    }

    private static boolean isBrokerHere(Finding.@Nullable CpuUse use) {
        return use != null && Double.isFinite(use.brokerPercent());
    }

    /** Returns advice about a broker, which may be on another machine if nothing is known of its CPU time. */
    private static String elsewhere(Finding.@Nullable CpuUse use) {
        return isBrokerHere(use) ? "run the broker elsewhere" : "run the broker elsewhere if it is on this machine";
    }

    private static String use(Finding.@Nullable CpuUse use) {
        return use == null ? "" : text(" (the machine's processors were %.0f %% busy: the generator %.0f %%", use.busyPercent(),
            use.generatorPercent())
            + (use.brokerPercent() > 0 ? text(", the broker %.0f %%, others %.0f %%)", use.brokerPercent(), use.othersPercent())
                : text(", everything else %.0f %%)", use.othersPercent()));
    }
}
